/// The environment variables, as the commands read them: an empty one counts as not set.
package struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?

    /// The variables of this process.
    package static let process = Environment { name in getenv(name).map { String(cString: $0) } }

    /// An environment of these variables alone.
    package init(_ variables: [String: String]) { self.init { variables[$0] } }

    private init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    /// The variable's value; nil where it is not set or empty.
    package subscript(name: String) -> String? {
        lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
