import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusPage
import FocusSeal
import FocusStore
import SystemKit

/// `focus web`: opens the page in the browser.
struct WebCommand {
    /// Whether the link is only printed.
    let printsOnly: Bool

    func run(
        _ agent: AgentClient, _ home: Home, in context: CommandContext
    ) throws(CommandFailure) {
        let link = try callStarted(agent, home) { () throws(AgentFailure) in try agent.webLink() }
        try context.print("\(link)\n")
        if printsOnly { return }
        guard context.programs.browse(link, context.environment) else {
            throw CommandFailure(
                "No browser could be opened. Open the link yourself, within two minutes, in a browser on this laptop: "
                    + "it works once.")
        }
    }
}

/// `focus web --calendar`: makes a calendar feed, and prints its address.
struct CalendarCommand {
    /// Whether the feed replaces a present one.
    let isRenewing: Bool

    func run(
        _ agent: AgentClient, _ home: Home, in context: CommandContext
    ) throws(CommandFailure) {
        let address = try callStarted(agent, home) { () throws(AgentFailure) in
            try agent.calendarAddress(renewing: isRenewing)
        }
        try context.print("\(address)\n")
    }
}

/// `focus web --forget`: signs out all browsers, and ends the calendar feed.
struct ForgetBrowsersCommand {
    func run(_ agent: AgentClient, _ device: Device, in context: CommandContext) throws(CommandFailure) {
        let hadCalendar = try device.using { device throws(StoreError) in
            try PageSessions.stored(device.store)?.hasCalendar ?? false
        }
        let isDoneByAgent = try callAgent(device.home) { () throws(AgentFailure) in try agent.forgetBrowsers()
        }
        if !isDoneByAgent {
            // No agent runs. An agent that starts later reads the stored sessions.
            try device.using { device throws(StoreError) in
                guard var sessions = try PageSessions.stored(device.store) else { return }
                sessions.endAll()
                try sessions.save(to: device.store)
            }
        }
        try context.print("All browsers are signed out. 'focus web' signs one in.\n")
        if hadCalendar { try context.print("The calendar's address has ended.\n") }
    }
}

/// `focus web --export`: copies the page for browsers into a folder, from which another site can serve it.
struct ExportPageCommand {
    /// The folder for the copy. It is made if it is missing, and must be empty.
    let folder: String
    /// The server of the copy; nil for the site that serves it.
    let server: WebOrigin?

    /// The place in the device's code for the server's address.
    private static let place = "\nconst otherServer = null;\n"

    /// - Parameter source: The folder in which the page is installed.
    func run(
        from source: String = ProgramPath.pageFolder, in context: CommandContext
    ) throws(CommandFailure) {
        var files = try load(source)
        guard files["index.html"] != nil else {
            throw CommandFailure(
                "The page isn't installed here: there is no \(source)/index.html. It comes with the package "
                    + "lockstep-focusd and with the archive.")
        }
        if let server, !insert(server, in: &files) {
            throw CommandFailure("The page in \(source) isn't of this version.")
        }
        do throws(SystemError) { try write(files) } catch { throw CommandFailure(error) }
        let next =
            if let server {
                "name that site in the setting 'web-origins' of \(server.text)."
            } else {
                "have '/sync' there lead to the server's setting 'web'."
            }
        try context.print(
            context.console.prose(
                "\(counted(files.count, "file")) are in \(folder). Serve them by HTTPS, at the root of a site, and "
                    + "\(next)\n"))
    }

    /// Returns the files in a folder, by their names.
    private func load(_ source: String) throws(CommandFailure) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        do throws(SystemError) {
            for name in names(inFolder: source) where !name.hasPrefix(".") {
                files[name] = try FileDescriptor.contents(of: "\(source)/\(name)")
            }
        } catch {
            throw CommandFailure(error)
        }
        return files
    }

    /// Inserts the server's address into the device's code, and the new hash of that file into the service
    /// worker. Returns whether both have a place for it.
    private func insert(_ server: WebOrigin, in files: inout [String: [UInt8]]) -> Bool {
        guard let code = files["device.js"], let worker = files["service-worker.js"],
            let newCode = replace(Self.place, with: "\nconst otherServer = \"\(server.text)\";\n", in: code),
            let hash = try? Digest(of: code.span.bytes), let newHash = try? Digest(of: newCode.span.bytes),
            let newWorker = replace(hash.hexadecimal, with: newHash.hexadecimal, in: worker)
        else { return false }
        files["device.js"] = newCode
        files["service-worker.js"] = newWorker
        return true
    }

    /// Returns the file with another text in place of `old`; nil unless it has `old` exactly once.
    private func replace(_ old: String, with new: String, in file: [UInt8]) -> [UInt8]? {
        let text = String(decoding: file, as: UTF8.self)
        let parts = text.split(separator: old, omittingEmptySubsequences: false)
        return parts.count == 2 ? Array(parts.joined(separator: new).utf8) : nil
    }

    /// Writes the files, which everybody may read.
    private func write(_ files: [String: [UInt8]]) throws(SystemError) {
        if NewFile.makeFolder(folder, 0o755) == 0 {
            chmod(folder, 0o755)
        } else if errno != EEXIST {
            throw SystemError("\(folder) can't be made")
        }
        guard names(inFolder: folder).allSatisfy({ [".", ".."].contains($0) }) else {
            throw SystemError("\(folder) can't be used", code: ENOTEMPTY)
        }
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let path = "\(folder)/\(name)"
            guard let file = OwnedDescriptor(NewFile.open(path, O_WRONLY | O_EXCL, 0o644)) else {
                throw SystemError("\(path) can't be written")
            }
            fchmod(file.number, 0o644)
            try FileDescriptor(file.number, named: path).write(bytes.span.bytes)
        }
    }
}

/// Calls the agent, which serves the page. Starts it first if none runs.
private func callStarted<Answer>(
    _ agent: AgentClient, _ home: Home, _ call: () throws(AgentFailure) -> Answer
) throws(CommandFailure) -> Answer {
    try callAgent(home) { () throws(AgentFailure) in
        try agent.startIfNone()
        agent.waitForStart(atMost: .seconds(5))
        return try call()
    }
}
