// What a thread is doing, in words. Internal to src/failure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "src/failure/evidence.h"

namespace heddle {

/// "lock", "wait", "join": the operation a thread is blocked in, as signatures and edges call it.
std::string operation_word(std::uint32_t event_kind);

/// "waits for lock m", "waits for a signal on cv", "waits for thread 0.1 to end".
std::string wait_phrase(std::string_view operation, std::string_view object);

/// "running", "waits for lock m held by 0.2", "about to lock m", "sleeps", "in i/o", "finished".
std::string state_text(EvidenceReader& evidence, std::size_t thread);

}  // namespace heddle
