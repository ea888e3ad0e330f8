// The viewer of traces for browsers, as text: what is before the title, before the events, before the tables, and the
// rest. Made of src/show/page/ by its bundle.py.
#pragma once
#include <string_view>

namespace heddle {
extern const std::string_view kPage[4];
}
