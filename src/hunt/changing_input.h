// What a claim about all schedules rests on: each run is given the same input. Random bytes are not, and whatever else
// is read may not be.
#pragma once
#include <string_view>

namespace heddle {

/// `inputs`: HeddleInput records as a run left them; a record that is cut off ends them.
/// The program, or a library in it, asked for random bytes.
bool asks_for_random(std::string_view inputs);
/// Two executions of one schedule read the same. Of what is asked about files only their bytes count: times and inode
/// numbers of what a run made itself are always new.
bool got_signals(std::string_view inputs);
bool asked_for_ids(std::string_view inputs);  // of processes and kernel threads
bool read_the_same(std::string_view inputs, std::string_view again);

}  // namespace heddle
