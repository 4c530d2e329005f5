import WASILibc

/// Measures a device's work on a log that it reads from standard input, in the format of `EventBytes`. Prints
/// a line for each part: its microseconds, and its name. Also uses a device and its link, so that they are
/// part of the program. Ends with status 1 if anything fails.
@main
enum Measurement {
    static func main() {
        var input = StandardInput()
        guard DeviceInMemory.clock() != nil, DeviceInMemory.greetsServer(),
            let parts = try? DeviceWork.measure(input.rest(), seconds: { steadySeconds() })
        else {
            print("A device doesn't work in WebAssembly.")
            exit(1)
        }
        for part in parts { print("\(Int(part.seconds * 1e6)) \(part.name)") }
    }
}
