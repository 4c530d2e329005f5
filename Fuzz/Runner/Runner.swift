import FuzzEntries
import Glibc

/// The target that the environment variable `FUZZER` names.
private let chosen: FuzzTarget = {
    let name = getenv("FUZZER").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("Set FUZZER to one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
        exit(2)
    }
    return target
}()

/// The function that libFuzzer calls with each input. A broken property aborts the process, so that libFuzzer
/// keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        print("\(chosen.name): \(error)")
        // Flushed, because otherwise the message is lost with the process.
        fflush(nil)
        abort()
    }
    return 0
}
