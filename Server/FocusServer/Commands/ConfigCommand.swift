import CommandLineKit
import FocusServerFiles
import FocusText

/// `focusd config`: what the settings come to, and where each comes from; without a server, too.
struct ConfigCommand {
    let settings: EffectiveSettings

    func run(json: Bool, _ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        try console.data(json ? "\(object(folder))\n" : lines(folder))
    }

    private func object(_ folder: DataFolder) -> JSON {
        let items = Setting.all.map { setting in
            let source = settings.source(of: setting)
            var line: Int64?
            if case .file(let number) = source { line = Int64(number) }
            return JSON.object([
                JSON.Member("name", .string(setting.name)),
                JSON.Member("value", .string(setting.text(settings.values))),
                JSON.Member("source", .string("\(source)")),
                JSON.Member("line", .optional(line)),
                JSON.Member("default", .string(setting.standard)),
                JSON.Member("variable", .string(setting.variable)),
                JSON.Member("allowed", .string(setting.allowed)),
            ])
        }
        return .object([
            JSON.Member("file", .string(folder.settings)), JSON.Member("settings", .array(items)),
        ])
    }

    private func lines(_ folder: DataFolder) -> String {
        let rows =
            [["SETTING", "VALUE", "FROM", "DEFAULT"]]
            + Setting.all.map { setting in
                let source = settings.source(of: setting)
                let place = if case .file(let line) = source { "line \(line)" } else { "\(source)" }
                return [setting.name, setting.text(settings.values), place, setting.standard]
            }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
        }
        return "The file is \(folder.settings).\n\n" + lines.map { "\($0)\n" }.joined()
    }
}
