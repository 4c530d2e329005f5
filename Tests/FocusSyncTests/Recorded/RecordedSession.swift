import FocusSync

/// A session as it went over the wire, byte by byte, with the events on both sides. As text, each step is one
/// line.
///
/// A published recording is never edited. A newer version of the protocol gets its own file
/// (docs/contributing.md).
struct RecordedSession {
    /// One step of a recording.
    enum Step: Equatable {
        /// An action of a person or of the driver, on a device or on the server.
        case event(String)
        /// A frame from the device to the server.
        case toServer([UInt8])
        /// A frame from the server to the device.
        case toClient([UInt8])
    }

    struct Entry: Equatable {
        /// The time of the step, in microseconds since the recording began.
        let time: Int64
        /// The device's name, or `server`.
        let place: String
        let step: Step
    }

    let version: ProtocolVersion
    var entries: [Entry] = []

    init(version: ProtocolVersion) { self.version = version }

    init(_ text: String) throws(RecordedFailure) {
        var lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }[...]
        guard let first = lines.popFirst(), first.hasPrefix("version "),
            let number = UInt16(first.dropFirst("version ".count))
        else { throw .malformed("the first line") }
        version = ProtocolVersion(rawValue: number)
        entries = try lines.map { (line) throws(RecordedFailure) in
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count >= 3, let time = Int64(words[0]) else { throw .malformed(String(line)) }
            let step: Step
            switch words[2] {
            case ">": step = .toServer(try RecordedSession.bytes(words[3]))
            case "<": step = .toClient(try RecordedSession.bytes(words[3]))
            default: step = .event(words.dropFirst(2).joined(separator: " "))
            }
            return Entry(time: time, place: String(words[1]), step: step)
        }
    }

    var text: String {
        let lines = entries.map { entry in
            switch entry.step {
            case .event(let words): "\(entry.time) \(entry.place) \(words)"
            case .toServer(let frame): "\(entry.time) \(entry.place) > \(RecordedSession.digits(frame))"
            case .toClient(let frame): "\(entry.time) \(entry.place) < \(RecordedSession.digits(frame))"
            }
        }
        let head = [
            "# A session of version \(version.rawValue) of the protocol: time in microseconds, device, and what happens "
                + "there, or '>' and a frame to the server, or '<' and one to the device. Never edited "
                + "(docs/contributing.md, \"Versions\").", "version \(version.rawValue)",
        ]
        return (head + lines).map { "\($0)\n" }.joined()
    }

    /// Splits bytes into frames. The bytes must end with a whole frame.
    static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= Frame.lengthBytes {
            let length = rest.prefix(Frame.lengthBytes).reduce(0) { $0 << 8 | Int($1) }
            frames.append(Array(rest.prefix(Frame.lengthBytes + length)))
            rest = rest.dropFirst(Frame.lengthBytes + length)
        }
        return frames
    }

    /// Returns bytes as hexadecimal digits.
    static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ digits: Substring) throws(RecordedFailure) -> [UInt8] {
        let values = digits.map { UInt8($0.hexDigitValue ?? 16) }
        guard values.count.isMultiple(of: 2), values.allSatisfy({ $0 < 16 }) else {
            throw .malformed(String(digits))
        }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
