import CommandLineKit
import FocusCore
import FocusDevice
import FocusFormats
import FocusFront
import FocusText
import SystemKit

/// The content of a file to import.
enum ImportedFile {
    /// Only white space, or nothing at all.
    case nothing
    case log([EventLine])
    case history(HistoryFormat, [ParsedItem])

    /// Reads the file, or standard input for `-`. An error names the file and the line.
    ///
    /// - Parameter zone: The time zone of local times in the file.
    init(
        _ request: ImportRequest, _ zone: LocalZone, in context: CommandContext
    ) throws(CommandFailure) {
        let path = request.path
        let file = try FileInput(path, in: context)
        let isBlank = file.head[...].withoutByteOrderMark.allSatisfy {
            $0 == 0x20 || (0x09...0x0D).contains($0)
        }
        if file.isWhole, isBlank {
            self = .nothing
            return
        }
        switch request.format ?? FileFormat(recognising: file.head) ?? FileFormat(extensionOf: path) {
        case .log:
            self = .log(
                try LogFile(path, file.head + file.readRest(), otherwise: "Nothing was imported.").events)
        case .history(let format):
            self = .history(format, try file.entries(format, zone, isStrict: request.isStrict))
        case nil where file.head.starts(with: "inc ".utf8):
            throw CommandFailure(
                "\(LogFile.name(path)) is Timewarrior's own data. Import what 'timew export' writes.")
        case nil:
            let names = FileFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                "The format of \(LogFile.name(path)) isn't clear from its first lines. Give it with --format: \(names)."
            )
        }
    }
}

/// A file that a command reads: its beginning, and the rest in pieces.
private struct FileInput {
    private let path: String
    private let bytes: ByteSource
    /// The beginning: `FileFormat.headLength` bytes or more, unless the file is shorter.
    private(set) var head: [UInt8] = []
    /// Whether `head` is the whole file.
    private(set) var isWhole = false

    init(_ path: String, in context: CommandContext) throws(CommandFailure) {
        self.path = path
        do throws(SystemError) {
            bytes = try context.open(path)
        } catch {
            throw CommandFailure(error)
        }
        while head.count < FileFormat.headLength, !isWhole {
            let next = try next()
            head += next
            isWhole = next.isEmpty
        }
    }

    func readRest() throws(CommandFailure) -> [UInt8] {
        var rest: [UInt8] = []
        while true {
            let next = try next()
            if next.isEmpty { return rest }
            rest += next
        }
    }

    func entries(
        _ format: HistoryFormat, _ zone: LocalZone, isStrict: Bool
    ) throws(CommandFailure) -> [ParsedItem] {
        var reader = HistoryReader(format, zone: zone) { Zone(named: $0)?.clocks }
        var found: [ParsedItem] = []
        var chunk = head
        while true {
            do throws(FileFormatError) {
                let isEnd = chunk.isEmpty
                if isEnd {
                    try reader.finish { found.append($0) }
                } else {
                    try reader.read(chunk) { found.append($0) }
                }
                if isStrict, let problem = found.lazy.compactMap(\.problem).first { throw problem }
                if isEnd { return found }
            } catch {
                throw CommandFailure("\(LogFile.name(path)), \(error). Nothing was imported.")
            }
            guard found.count <= FileLimits.entries else {
                throw CommandFailure(
                    "\(LogFile.name(path)) holds more than \(FileLimits.entries) entries. Split it, and import the parts."
                )
            }
            chunk = try next()
        }
    }

    private func next() throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            return try bytes.next()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension ParsedItem {
    /// The error in the entry; nil if it can be read.
    fileprivate var problem: FileFormatError? {
        if case .unreadable(let problem) = content { FileFormatError(line: line, problem) } else { nil }
    }
}

extension FileFormat {
    /// The format with this file name extension; nil if there is none.
    fileprivate init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."),
            let format = FileFormat(rawValue: name[dot...].dropFirst().lowercased())
        else { return nil }
        self = format
    }
}
