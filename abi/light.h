// A function that has a light clone (pass/light.h). One record each, emitted by the pass into section "heddle_lights".
//
// Pointers are SELF-RELATIVE, as in abi/site.h.
#pragma once
#include <stdint.h>

#define HEDDLE_LIGHT_SECTION "heddle_lights"
// The 8 bytes before a light clone's first instruction.
#define HEDDLE_LIGHT_MARK 0x746867696c646568ull

struct HeddleLight {
  uint32_t on;           // runtime-owned: calls go to the light clone; 0 in the file
  uint32_t range_count;
  int32_t ranges;        // HeddleLightRange[range_count]
  uint32_t reserved;
};

struct HeddleLightRange {  // sites whose hooks the light clone may lack
  int32_t first;           // HeddleSite[count]
  uint32_t count;
};
