import Foundation

/// One time zone for all tests, whatever the machine's: that of Berlin, spelt out.
package enum BerlinTime {
    private static let zone: Void = {
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        tzset()
    }()

    /// Makes it that of this process.
    package static func set() { _ = zone }
}
