// Text for XML 1.0, whatever bytes it is made of.
#pragma once
#include <string>
#include <string_view>

namespace heddle {

/// Character data: & < > escaped; what XML cannot hold (control characters, broken UTF-8, U+FFFE) or what would mislead
/// a reader (C1, bidi) becomes U+FFFD.
std::string xml_text(std::string_view bytes);
/// The same for a value in double quotes; line breaks and tabs survive.
std::string xml_attribute(std::string_view bytes);

}  // namespace heddle
