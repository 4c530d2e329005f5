import FocusCore
import FocusSeal
import SystemKit

/// The page's files for browsers: a closed table, which doesn't change while the server runs.
struct WebFiles: Sendable {
    /// A file as it is served.
    struct File: Hashable, Sendable {
        /// The content type.
        let type: String
        let bytes: [UInt8]
        /// The content's tag, by which a browser asks for a newer version (RFC 9110 §8.8.3).
        let tag: String

        /// - Throws: `SealError` if the bytes can't be hashed.
        init(_ type: String, _ bytes: [UInt8]) throws(SealError) {
            self.type = type
            self.bytes = bytes
            let hash = try Digest(of: bytes.span.bytes)
            tag = "\"\(hash.hexadecimal.prefix(32))\""
        }

        /// Whether a list of tags, the value of a header `If-None-Match`, has this content's tag.
        func isTagged(in list: String) -> Bool {
            let tags = ["*", tag, "W/\(tag)"]
            return list.split { ", \t".contains($0) }.contains { tags.contains(String($0)) }
        }
    }

    /// A file that isn't served although its name is the page's.
    struct Omission: Hashable, Sendable {
        let path: String
        let reason: String
    }

    /// The files by their path in addresses, which begins with a slash.
    private var files: [String: File]
    /// The files of the folder that aren't served, by ascending path.
    private(set) var omissions: [Omission] = []

    /// The greatest length of a file, in bytes.
    static let lengthLimit = 8 << 20
    /// The greatest number of files.
    static let countLimit = 200

    /// The content types by the names' extensions. Other files don't belong to the page.
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
        "wasm": "application/wasm", "webmanifest": "application/manifest+json",
    ]

    /// A table of these files, by their paths.
    init(_ files: [String: File] = [:]) { self.files = files }

    /// The files directly in a folder. The table is empty if there is no such folder.
    ///
    /// - Throws: `SealError` if their bytes can't be hashed.
    init(inFolder folder: String) throws(SealError) {
        self.init()
        for name in names(inFolder: folder).sorted() {
            guard let type = WebFiles.contentType(of: name) else { continue }
            let path = "\(folder)/\(name)"
            guard files.count < WebFiles.countLimit else {
                omissions.append(Omission(path: path, reason: "too many files"))
                continue
            }
            switch WebFiles.contents(of: path) {
            case .bytes(let bytes): files["/\(name)"] = try File(type, bytes)
            case .unfit(let reason): omissions.append(Omission(path: path, reason: reason))
            }
        }
    }

    /// The number of files.
    var count: Int { files.count }

    /// The file at a path of an address, or nil if there is none. `/` leads to `index.html`.
    subscript(path: String) -> File? { files[path == "/" ? "/index.html" : path] }

    /// Returns the content type for a file's name, or nil if the file doesn't belong to the page. Such a name
    /// needs no escapes in an address.
    private static func contentType(of name: String) -> String? {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard isPlain, parts.count > 1, parts[0] != "", let last = parts.last else { return nil }
        return types[String(last)]
    }

    private enum Content {
        case bytes([UInt8])
        /// The file isn't served, for this reason.
        case unfit(String)
    }

    private static func contents(of path: String) -> Content {
        // `O_NONBLOCK`, because opening a pipe would wait for its other end.
        guard let file = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) else {
            return .unfit(errno == ELOOP ? "no regular file" : "unreadable")
        }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .unfit("no regular file")
        }
        let source = FileDescriptor(file.number, named: path).bytes
        var bytes: [UInt8] = []
        while bytes.count <= lengthLimit {
            guard let piece = try? source.next() else { return .unfit("unreadable") }
            if piece.isEmpty { return .bytes(bytes) }
            bytes += piece
        }
        return .unfit("too long")
    }
}
