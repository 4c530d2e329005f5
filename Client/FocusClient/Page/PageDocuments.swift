import CommandLineKit
import FocusDevice
import FocusHTTP

/// What the page reads as the commands print it with `--json`.
enum PageDocuments {
    /// What is asked for by an address with the options of `focus log`.
    static func log(_ request: HTTPRequest) throws(CommandFailure) -> FocusInvocation {
        try invocation("log", request)
    }

    /// What is asked for by an address with the options of `focus stats`.
    static func statistics(_ request: HTTPRequest) throws(CommandFailure) -> FocusInvocation {
        try invocation("stats", request)
    }

    private static func invocation(
        _ command: String, _ request: HTTPRequest
    ) throws(CommandFailure) -> FocusInvocation {
        var words = [command, "--json"]
        for name in ["from", "to", "label", "tag"] {
            for value in request.query(name) { words.append("--\(name)=\(value)") }
        }
        do throws(UsageError) {
            if case .run(let invocation) = try FocusProgram.table.parse(words) { return invocation }
            throw UsageError("There is no such document.")
        } catch {
            throw CommandFailure(error.message, .usage)
        }
    }

    /// The time zone of who reads: the one that the address names by `zone`, and where the system doesn't know it, or
    /// none is named, that of this place.
    static func zone(_ request: HTTPRequest) throws(CommandFailure) -> Zone {
        let names = request.query("zone")
        guard let name = names.first else { return .here }
        return try zone(names.count == 1 ? name : "")
    }

    /// The time zone of this name, and where the system doesn't know it, that of this place.
    static func zone(_ name: String) throws(CommandFailure) -> Zone {
        guard Zone.isName(name) else {
            throw CommandFailure("\"zone\" is to be the name of a time zone, as Europe/Berlin.", .usage)
        }
        return Zone(named: name) ?? .here
    }

    /// The document.
    static func text(
        _ invocation: FocusInvocation, _ device: Device, by zone: Zone = .here, in context: CommandContext
    ) throws(CommandFailure) -> String {
        let said = Said()
        let world = context.saying { said.add($0) }
        switch invocation {
        case .log(let request): try LogCommand(request: request, zone: zone).run(device, in: world)
        case .stats(let request): try StatsCommand(request: request, zone: zone).run(device, in: world)
        case .devices(let json): try DevicesCommand(json: json).run(device, in: world)
        default: throw CommandFailure("There is no such document.", .usage)
        }
        return said.text
    }
}
