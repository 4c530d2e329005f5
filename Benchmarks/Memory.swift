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

    /// What another process has in memory now, and the most that it ever had, in bytes: from /proc/PID/status. Nil where
    /// there is none.
    static func of(_ process: pid_t) -> (resident: Int, peak: Int)? {
        guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 8192)
        let count = fread(&text, 1, text.count, file)
        var sizes: [Substring: Int] = [:]
        for line in String(decoding: text[..<count], as: UTF8.self).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count == 3, words[2] == "kB", let size = Int(words[1]) { sizes[words[0]] = size << 10 }
        }
        guard let resident = sizes["VmRSS:"], let peak = sizes["VmHWM:"] else { return nil }
        return (resident, peak)
    }
}
