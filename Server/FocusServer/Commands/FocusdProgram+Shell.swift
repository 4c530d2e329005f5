import CommandLineKit
import FocusCore

extension FocusdProgram {
    /// The pages of the manual.
    static let pages = [FocusdManual.page, SettingsManual.page]

    /// The answer to a shell or a package.
    static func answer(_ request: ShellRequest) throws(CommandFailure) -> String {
        let release = Release(name: "Lockstep \(Lockstep.version)", date: Lockstep.date)
        return try table.answer(request, release: release, pages: pages) { _ in [] }
    }
}
