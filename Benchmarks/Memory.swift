#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum Memory {
    /// The process's resident memory in bytes, from /proc/self/statm; 0 where there is none.
    static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 256)
        let count = fread(&line, 1, line.count, file)
        let fields = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
