import Glibc
import TestSupport

/// How a server is at a moment, as its operator sees it.
struct ServerVitals {
    /// Its memory now and the most that it ever had, in bytes.
    let resident: Int
    let peak: Int
    /// What its data folder takes, in bytes.
    let disk: Int
    /// What `/readyz` says: "ready", or why it isn't.
    let readiness: String

    var isReady: Bool { readiness == "ready" }

    /// - Parameter metrics: the port on loopback where it says whether it is ready.
    init(_ process: pid_t, data: String, metrics: Int) throws {
        guard let memory = Memory.of(process) else {
            throw Programs.Failed(description: "the server is gone")
        }
        (resident, peak) = memory
        disk = ServerVitals.size(of: data)
        let answer = try HTTPClient(port: UInt16(clamping: metrics))
            .ask("GET", "/readyz", host: "127.0.0.1:\(metrics)")
        readiness = answer.body.split(separator: "\n").joined(separator: " ")
    }

    /// What a folder's files take.
    private static func size(of folder: String) -> Int {
        guard let listing = opendir(folder) else { return 0 }
        defer { closedir(listing) }
        var size = 0
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            size += Int(status.st_size)
        }
        return size
    }
}
