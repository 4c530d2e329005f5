import FocusAgent
import FocusCore
import FocusDevice
import SystemKit

/// Whether the agent would run what lies in the folder of hooks.
struct HookCheck {
    let home: Home

    /// Nothing where there is no such folder, or it is empty.
    var findings: [Finding] {
        let names = names
        guard !names.isEmpty else { return [] }
        let kinds = Happening.Kind.allCases.map(\.rawValue)
        var found: [Finding] = []
        for name in names {
            if let kind = Happening.Kind(rawValue: name) {
                do throws(Hook.Refusal) {
                    _ = try Hook(for: kind, in: home.hooks)
                } catch {
                    found.append(.wrong(.hooks, "The hook '\(name)' isn't run: \(error.reason)."))
                }
            } else {
                found.append(
                    .note(
                        .hooks, "\(home.hooks)/\(name) is never run: there is no event of that name.",
                        remedy: "Hooks are called \(kinds.joined(separator: ", "))."))
            }
        }
        guard found.isEmpty else { return found }
        return [.fine(.hooks, "The agent runs these hooks: \(names.joined(separator: ", ")).")]
    }

    /// What lies in the folder, sorted, less what is hidden or has a dot in its name, as the copies of editors do.
    private var names: [String] {
        guard let folder = opendir(home.hooks) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { place in
                place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.contains("."), !name.hasSuffix("~") { names.append(name) }
        }
        return names.sorted()
    }
}
