// The seal of a file that can be executed: only who has the user's key can make it.
#pragma once
#include <filesystem>
#include <string_view>

#include "src/seal/blake2b.h"
#include "src/seal/key.h"

namespace heddle {

/// Of a finished trace; `content` is the hash of everything that a reader takes from it.
Digest seal_of_trace(const SealKey& key, const Digest& content);

/// Of the raw file of a recording, which the program goes on writing: what is executed (`meta`, as it lies in the file)
/// and which file it is (device, inode, time of birth). A copy of the file is another file. Error: `fd` cannot be
/// asked.
Result<Digest> seal_of_recording(const SealKey& key, std::string_view meta, int fd);

/// In constant time.
bool equal_seals(const Digest& a, const Digest& b);

}  // namespace heddle
