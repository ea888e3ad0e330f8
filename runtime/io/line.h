// One line of text for HeddleDivergence::text.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace heddle::rt {

class Line {
 public:
  Line(char* text, size_t room) : text_(text), room_(room) { text_[0] = 0; }
  Line& put(const char* s) {
    while (*s) put(*s++);
    return *this;
  }
  Line& number(uint64_t value, uint32_t base = 10) {
    char digits[24];
    int n = 0;
    do digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n) put(digits[--n]);
    return *this;
  }
  /// Nothing in it can move a cursor.
  Line& quoted(const char* bytes, uint32_t count, bool goes_on) {
    put('"');
    for (uint32_t i = 0; i < count; i++) {
      const unsigned char b = (unsigned char)bytes[i];
      if (b == '\n') put("\\n");
      else if (b == '"' || b == '\\') put('\\').put((char)b);
      else if (b >= ' ' && b < 127) put((char)b);
      else put("\\x").put("0123456789abcdef"[b >> 4]).put("0123456789abcdef"[b & 15]);
    }
    return put(goes_on ? "\"..." : "\"");
  }
  Line& put(char ch) {
    if (n_ + 1 < room_) text_[n_++] = ch;
    text_[n_] = 0;
    return *this;
  }

 private:
  char* text_;
  size_t room_, n_ = 0;
};

}  // namespace heddle::rt
