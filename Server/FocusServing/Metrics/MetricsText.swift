import FocusServerCore

/// Metrics in Prometheus' text format, version 0.0.4: each with its description, its type and its samples.
struct MetricsText {
    /// The content type of the text.
    static let type = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Appends a number that only grows until the server restarts.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        begin(name, help, "counter")
        sample(name, [], "\(value)")
    }

    /// Appends a counter for each value of a label, in the order of `values`.
    mutating func counters(
        _ name: String, _ help: String, by label: String, _ values: [(value: String, count: UInt64)]
    ) {
        begin(name, help, "counter")
        for (value, count) in values { sample(name, [(label, value)], "\(count)") }
    }

    /// Appends a number that goes up and down.
    mutating func gauge(
        _ name: String, _ help: String, labels: [(name: String, value: String)] = [], _ value: Double
    ) {
        begin(name, help, "gauge")
        sample(name, labels, MetricsText.number(value))
    }

    /// Appends a histogram, with cumulative counts as the format requires.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, help, "histogram")
        var total: UInt64 = 0
        for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
            total += count
            sample("\(name)_bucket", [("le", MetricsText.number(bound))], "\(total)")
        }
        sample("\(name)_sum", [], MetricsText.number(histogram.sum))
        sample("\(name)_count", [], "\(total)")
    }

    private mutating func begin(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(MetricsText.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
        let list = labels.map { "\($0.name)=\"\(MetricsText.escaped($0.value, quotes: true))\"" }
        text += name + (list.isEmpty ? "" : "{\(list.joined(separator: ","))}") + " \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a number in the syntax that Go parses.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
