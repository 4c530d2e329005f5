import FocusCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The device in WebAssembly: the size of its program, and the times of `DeviceWork` beside those of this
/// program.
enum DeviceBenchmark {
    private static let eventCount = 100_000

    /// Needs the folder of the programs that `scripts/bench` compiles, one for each option, and a Python with
    /// wasmtime.
    static func run(_ report: inout Report, _ programs: Programs) throws {
        guard let folder = getenv("LOCKSTEP_WASM").map({ String(cString: $0) }),
            let python = getenv("LOCKSTEP_WASMTIME").map({ String(cString: $0) })
        else {
            return report.note("the device in WebAssembly is left out: `scripts/bench device` compiles it")
        }
        let scratch = try Scratch(programs)
        let path = "\(scratch.path)/log"
        let bytes = EventBytes.encoding(ReplayBenchmark.makeLog(count: eventCount))
        try ReplayingWork.write(bytes, to: path)
        let start = ContinuousClock.now
        let native = try DeviceWork.measure(bytes) { (ContinuousClock.now - start).seconds }
        report.note("the device in WebAssembly and natively, \(eventCount) events, fastest of 3")
        for part in native { report.figure("\(part.name), native", part.seconds * 1e3, unit: "ms") }
        for option in ["-O", "-Osize"] {
            let program = "\(folder)/\(option)/measure.wasm"
            let size = try programs.run("sh", ["-c", "gzip -9c \"$0\" | wc -c", program])
            report.figure(
                "the device's program, \(option), gzipped", (Double(Scratch.lastLine(size)) ?? 0) / 1e3,
                unit: "kB")
            let output = try programs.run(
                "sh", ["-c", "\"$0\" scripts/run-wasm \"$1\" <\"$2\"", python, program, path])
            for (part, line) in zip(native, output.split(separator: "\n")) {
                let words = line.split(separator: " ", maxSplits: 1)
                guard words.count == 2, words[1] == part.name, let microseconds = Double(words[0]) else {
                    throw Programs.Failed(description: "\(program) printed \(line)")
                }
                report.figure("\(part.name), \(option)", microseconds / 1e3, unit: "ms")
                report.figure(
                    "\(part.name), \(option) against native", microseconds / 1e6 / part.seconds,
                    unit: "times", goal: .atMost(6))
            }
        }
    }
}
