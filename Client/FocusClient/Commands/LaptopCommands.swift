import CommandLineKit

/// The commands that see to `focus` on this laptop.
enum LaptopCommands {
    static let all: [Command<Invocation>] = [.completion(of: "focus") { .shell($0) }]
}
