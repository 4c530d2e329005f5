import Foundation

/// One time zone for all tests on any machine: Berlin's, with its rules spelled out.
package enum BerlinTime {
    private static let zone: Void = {
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        tzset()
    }()

    /// Makes Berlin's time zone that of this process.
    package static func set() { _ = zone }
}
