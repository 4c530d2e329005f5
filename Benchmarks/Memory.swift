#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The memory and processor time of processes, as the kernel counts them.
enum Memory {
    /// The process's resident memory in bytes, from /proc/self/statm; 0 if that file doesn't exist.
    static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 256)
        let count = fread(&line, 1, line.count, file)
        let fields = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Returns another process's resident memory and its highest value so far, in bytes, from
    /// /proc/PID/status; nil if that file doesn't exist.
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

    /// Returns the processor time of another process in seconds, from /proc/PID/stat; nil if that file
    /// doesn't exist.
    static func processorTime(of process: pid_t) -> Double? {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 1024)
        let count = fread(&text, 1, text.count, file)
        // The program's name, in parentheses, may contain spaces. It is field 2, so `fields` begins with
        // field 3. The times are fields 14 and 15.
        let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: ")").last?.split(
            separator: " ")
        guard let fields, fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            return nil
        }
        return Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
