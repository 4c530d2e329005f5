import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// Debian's nginx in front of a server's page, with the settings of docs/browser.md.
final class Nginx {
    let address: String
    private let process: RunningProgram
    private let file: String
    private let settings: String

    /// Starts nginx in front of the page at the port `web`, with a certificate for `localhost`.
    init(_ folder: TemporaryFolder, to web: UInt16, certificate: String, key: String) throws {
        let port = try freePort()
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
            "\(name)_temp_path \(folder.file("nginx-\(name)"));"
        }
        settings = """
            \(getuid() == 0 ? "user root;" : "")
            daemon off;
            pid \(folder.file("nginx.pid"));
            error_log stderr notice;
            events {}
            http {
            access_log off;
            add_header Round 0 always;
            \(places.joined(separator: "\n"))
            \(try Nginx.documented(at: port, to: web, certificate: certificate, key: key))
            }
            """
        file = folder.file("nginx.conf")
        try settings.write(toFile: file, atomically: false, encoding: .utf8)
        let process = try Program(path: "/usr/sbin/nginx").start(
            ["-e", "stderr", "-c", file], ["HOME": folder.path, "LOCKSTEP_TEST": folder.path], in: folder,
            log: folder.file("nginx.log"))
        self.process = process
        address = "https://localhost:\(port)/"
        try eventually("nginx listens; it said: \(process.messages)") {
            guard process.isRunning else { throw Unmet("nginx ended: \(process.messages)") }
            guard let socket = LoopbackSocket(connectedTo: port) else { return false }
            _ = consume socket
            return true
        }
    }

    /// The server's settings from docs/browser.md, with the ports and the certificate of a test.
    private static func documented(
        at port: UInt16, to web: UInt16, certificate: String, key: String
    ) throws -> String {
        var settings = try BrowserMemberTests.documentedBlock(after: "With nginx:")
        let folder = "/etc/letsencrypt/live/focus.example.org"
        for (written, meant) in [
            ("listen 443 ssl;", "listen 127.0.0.1:\(port) ssl;"), ("\(folder)/fullchain.pem", certificate),
            ("\(folder)/privkey.pem", key), ("server_name focus.example.org;", "server_name localhost;"),
            ("http://127.0.0.1:7855;", "http://127.0.0.1:\(web);"),
        ] {
            #expect(settings.contains(written))
            settings.replace(written, with: meant)
        }
        return settings
    }

    /// Lets nginx read its settings again, now with another value of the header `Round` in each answer.
    func reload(_ round: Int) throws {
        let changed = settings.replacing("Round 0", with: "Round \(round)")
        try changed.write(toFile: file, atomically: false, encoding: .utf8)
        process.signal(SIGHUP)
    }

    /// Ends nginx with its workers. A test calls it in any case, because killing nginx leaves its workers.
    func end() {
        process.signal(SIGTERM)
        _ = try? process.wait()
    }
}
