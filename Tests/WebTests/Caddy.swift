import Foundation
import IntegrationSupport
import TestSupport

/// Debian's Caddy in front of a server's page, with the settings of docs/browser.md, and a certificate that the browsers
/// of a test trust.
struct Caddy {
    let address: String
    /// The paths of its certificate for `localhost`, with the chain, and of the key.
    let certificate: String
    let key: String
    private let process: RunningProgram
    private let folder: TemporaryFolder
    private let file: String
    private let settings: String
    private let variables: [String: String]

    /// Starts Caddy, and lets browsers with the home `folder` trust it.
    ///
    /// - Parameters:
    ///   - port: The port at which it listens; nil for any.
    ///   - site: The settings of another site, which it serves too.
    init(_ folder: TemporaryFolder, to web: UInt16, at port: UInt16? = nil, beside site: String = "") throws {
        let port = try port ?? freePort()
        let storage = folder.file("caddy")
        let documented = try BrowserMemberTests.documentedBlock(after: "by itself:")
            .replacing("focus.example.org {", with: "https://localhost:\(port) {\n    tls internal")
            .replacing("127.0.0.1:7855", with: "127.0.0.1:\(web)")
        let settings = """
            {
                admin unix/\(folder.file("caddy.sock"))
                skip_install_trust
                storage file_system \(storage)
                http_port \(try freePort())
            }
            \(site)
            \(documented)
            """
        let file = folder.file("Caddyfile")
        try settings.write(toFile: file, atomically: false, encoding: .utf8)
        let variables = ["HOME": folder.path, "LOCKSTEP_TEST": folder.path]
        let process = try Program(path: "/usr/bin/caddy").start(
            ["run", "--config", file, "--adapter", "caddyfile"], variables, in: folder,
            log: folder.file("caddy.log"))
        let root = "\(storage)/pki/authorities/local/root.crt"
        let own = "\(storage)/certificates/local/localhost/localhost"
        (certificate, key) = ("\(own).crt", "\(own).key")
        let files = [root, certificate, key]
        try eventually("Caddy has its certificate; it said: \(process.messages)") {
            files.allSatisfy { FileManager.default.fileExists(atPath: $0) }
                && process.messages.contains("serving initial configuration")
        }
        let store = folder.file(".pki/nssdb")
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        for words in [["-N", "--empty-password"], ["-A", "-n", "caddy", "-t", "C,,", "-i", root]] {
            let outcome = try Program(path: "/usr/bin/certutil").start(
                words + ["-d", "sql:\(store)"], variables, in: folder, log: folder.fresh("certutil")
            ).wait()
            guard outcome.status == 0 else { throw Unmet("certutil \(words): \(outcome.messages)") }
        }
        self.process = process
        self.folder = folder
        self.file = file
        self.settings = settings
        self.variables = variables
        address = "https://localhost:\(port)/"
    }

    /// Lets Caddy load its settings again, now with a header for each answer.
    func reload(_ header: String) throws {
        let changed = String(settings.dropLast()) + "    header \(header)\n}"
        try changed.write(toFile: file, atomically: false, encoding: .utf8)
        let outcome = try Program(path: "/usr/bin/caddy").start(
            ["reload", "--config", file, "--adapter", "caddyfile"], variables, in: folder,
            log: folder.fresh("caddy")
        ).wait()
        guard outcome.status == 0 else { throw Unmet("caddy reload: \(outcome.messages)") }
    }

    /// Ends Caddy.
    func end() throws {
        process.signal(SIGTERM)
        try process.wait()
    }
}
