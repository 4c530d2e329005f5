/// A parameter of a command without its type: what help, completions and man pages say of it.
package struct ParameterSpec: Equatable, Sendable {
    /// How a parameter is given.
    package enum Shape: Equatable, Sendable {
        /// `--json`: there or not.
        case flag
        /// `--ago D` or `--ago=D`: once at most.
        case option
        /// `--address X`: as often as wanted.
        case repeatedOption
        /// `NAME`, by its place.
        case argument
        /// `[LABEL]`, by its place.
        case optionalArgument
        /// All the arguments that are left, `minimum` at least.
        case rest(minimum: Int)
    }

    /// Whether it is a flag, an option or an argument, and how often it may be given.
    package let shape: Shape
    /// An option's or flag's name without its dashes; what stands for an argument, in capitals.
    package let name: String
    /// What stands for an option's value in help; nil for the other shapes.
    package let valueName: String?
    /// What it is for, to be read after its name: no capital, no full stop.
    package let summary: String
    /// A sentence on how its value is written.
    package let note: String?
    /// What shells offer for its value.
    package let offer: ValueOffer

    /// Whether it is given by its name rather than by its place.
    package var isNamed: Bool {
        switch shape {
        case .flag, .option, .repeatedOption: true
        case .argument, .optionalArgument, .rest: false
        }
    }

    /// Whether a value goes with its name.
    package var takesValue: Bool { shape == .option || shape == .repeatedOption }

    /// The parameter as help lists it: `--ago D`, `LABEL`.
    package var term: String {
        guard isNamed else { return name }
        return valueName.map { "--\(name) \($0)" } ?? "--\(name)"
    }

    /// The parameter as the usage line shows it: `[--ago D]`, `FILE...`.
    package var usage: String {
        switch shape {
        case .flag, .option: "[\(term)]"
        case .repeatedOption: "[\(term)]..."
        case .argument: name
        case .optionalArgument: "[\(name)]"
        case .rest(let minimum): minimum == 0 ? "[\(name)]..." : "\(name)..."
        }
    }
}
