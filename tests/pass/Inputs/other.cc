#include "inline.h"
int other() { Box<int> b(1); return counter() += b.get(); }
