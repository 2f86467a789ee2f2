// Reading and writing `.npy` files (format 1.0 to 3.0), as far as the player needs: the bytes of one array.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace player {

// what() is the line for the person.
struct NpyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The array's bytes in C order.
std::vector<unsigned char> read_npy(const std::string& path);

// Throws when nothing can be written there, before there is anything to write.
void require_writable(const std::string& path);

// One-dimensional float32; uint8 when the size is no multiple of 4. A file appears when it is complete; a
// device or a pipe is written as it is.
void write_npy(const std::string& path, const std::vector<unsigned char>& bytes);

}  // namespace player
