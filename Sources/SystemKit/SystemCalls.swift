// System calls that take paths. These overloads take strings made by `SystemText`. Swift prefers them to the
// C library's functions, which would get the string's UTF-8 bytes instead.

/// open(2), for existing files. `NewFile` makes new ones.
package func open(_ path: String, _ flags: Int32) -> Int32 { SystemText.withBytes(path) { open($0, flags) } }

/// access(2).
package func access(_ path: String, _ mode: Int32) -> Int32 {
    SystemText.withBytes(path) { access($0, mode) }
}

/// stat(2).
package func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    SystemText.withBytes(path) { stat($0, status) }
}

/// lstat(2).
package func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    SystemText.withBytes(path) { lstat($0, status) }
}

/// statvfs(3).
package func statvfs(_ path: String, _ status: UnsafeMutablePointer<statvfs>) -> Int32 {
    SystemText.withBytes(path) { statvfs($0, status) }
}

/// rename(2).
package func rename(_ path: String, _ other: String) -> Int32 {
    SystemText.withBytes(path) { path in SystemText.withBytes(other) { rename(path, $0) } }
}

/// link(2).
package func link(_ path: String, _ other: String) -> Int32 {
    SystemText.withBytes(path) { path in SystemText.withBytes(other) { link(path, $0) } }
}

/// unlink(2).
@discardableResult
package func unlink(_ path: String) -> Int32 { SystemText.withBytes(path) { unlink($0) } }

/// rmdir(2).
@discardableResult
package func rmdir(_ path: String) -> Int32 { SystemText.withBytes(path) { rmdir($0) } }

/// chmod(2).
@discardableResult
package func chmod(_ path: String, _ mode: mode_t) -> Int32 { SystemText.withBytes(path) { chmod($0, mode) } }

/// setenv(3).
@discardableResult
package func setenv(_ name: String, _ value: String, _ replaces: Int32) -> Int32 {
    SystemText.withBytes(value) { setenv(name, $0, replaces) }
}

/// strdup(3). The caller must free the copy.
package func strdup(_ text: String) -> UnsafeMutablePointer<CChar>? {
    SystemText.withBytes(text) { strdup($0) }
}

/// Returns the path without links and dots, or nil if nothing is there or it can't be determined:
/// realpath(3).
package func realPath(_ path: String) -> String? {
    guard let found = SystemText.withBytes(path, { realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return SystemText.string(found)
}

/// Returns the names in a folder, in no particular order; none if the folder can't be read.
package func names(inFolder path: String) -> [String] {
    guard let stream = SystemText.withBytes(path, { opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        // Read through a pointer: `dirent` has room for the longest name, but the entry may end after this
        // name.
        let start = UnsafeMutableRawPointer(entry).advanced(by: nameOffset)
        names.append(SystemText.string(start.assumingMemoryBound(to: CChar.self)))
    }
    return names
}

private let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
