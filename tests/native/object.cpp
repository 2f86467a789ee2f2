// Compiled to a relocatable object in the large code model, for the test of the linker: constants, static
// data, calls into the C and maths libraries.

extern "C" {

double sin(double);
double pow(double, double);

int plus_one(int value) {
    return value + 1;
}

float constant(int index) {
    static const float kTable[] = {1.5f, 3.5f, 5.5f, 7.5f};
    return kTable[index];
}

double wave(double x) {
    return sin(x) + pow(x, 1.5);
}

int count() {
    static int calls;
    return ++calls;
}

}  // extern "C"

namespace {
__attribute__((used)) int hidden(int value) {
    return value;
}
}  // namespace
