// heddle-cc without the rest of heddle: lets the tests of this folder run before the other tools build.
#include <string>

#include "tools/cc.h"

int main(int argc, char** argv) {
  return heddle::cc_main(std::string(argv[0]).ends_with("++"), argc - 1, argv + 1);
}
