import CommandLineKit

/// The page focusd.conf(5).
enum SettingsManual {
    static let page = ManualPage(
        "focusd.conf", 5, "settings of the server that laptops share a focus session through",
        [description, settings, values, example, seeAlso])

    private static let description = ManualPage.Section(
        "Description",
        [
            .text(
                "*focusd.conf* in the server's data folder (*/var/lib/focusd* if it is a service) says what differs "
                    + "from the defaults. There need not be one. A line sets one setting: its name, an equals sign, "
                    + "its value. Empty lines, and those that begin with `#`, are for people."),
            .text(
                "Each setting is an option of `focusd serve` too, as `--log debug`, and a variable of its environment, "
                    + "as `FOCUSD_LOG=debug`. An option takes precedence over the environment, that over the file, and that "
                    + "over the default. An empty variable counts as not set."),
            .text(
                "`focusd config` lists what they come to and where each comes from, and says what is wrong with the "
                    + "file; `focusd serve` doesn't start with a file in which something is wrong. Settings are read "
                    + "as the server starts. What invites name is no setting: `focusd init --address` says it."
            ),
            .text(
                "Most settings are limits. Whoever goes beyond one is told so, and by which time it may go on; presses "
                    + "stay on the laptop until they can be sent, and nobody else notices."),
        ])

    private static let settings = ManualPage.Section(
        "Settings",
        Setting.Topic.allCases.flatMap { topic -> [ManualPage.Block] in
            [.title(topic.rawValue), .entries(Setting.all.filter { $0.topic == topic }.map(entry))]
        })

    private static func entry(_ setting: Setting) -> ManualPage.Entry {
        ManualPage.Entry(
            "`\(setting.name)`",
            [
                .text(TextLayout.sentence(setting.summary)),
                .text(
                    "It is \(setting.allowed); by default `\(setting.standard)`. The variable is "
                        + "`\(setting.variable)`."),
            ])
    }

    private static let values = ManualPage.Section(
        "Values", [.text(DurationText.rule), .text(SizeText.rule)])

    private static let example = ManualPage.Section(
        "Example",
        [
            .lines([
                "# A small server, for friends", "listen = 192.0.2.7:7853", "max-groups = 20",
                "devices-per-group = 10", "bytes-per-group = 64MiB",
            ])
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focusd`(8)")])
}
