import CNCurses
import SystemKit

/// A terminal in full-screen mode: cells go out, keys come in.
///
/// A process has one screen at a time, used by one thread, because ncurses allows no more. `close` restores
/// the terminal, and so does `TerminalRestorer` if the process crashes.
package final class Screen {
    /// The reason why a terminal can't be used.
    package enum Failure: Error, Hashable, Sendable {
        /// The system has no description of any of the terminal's types, or the terminal can't move its
        /// cursor. `type` is the last type that was tried.
        case unknown(type: String)
        /// The process has no file descriptor left.
        case noDescriptor
        /// ncurses isn't installed. The value is the system's message.
        case noLibrary(String)
    }

    private let curses: lockstep_curses
    private let handle: OpaquePointer
    private let output: UnsafeMutablePointer<FILE>
    private let input: UnsafeMutablePointer<FILE>
    private let window: UnsafeMutablePointer<WINDOW>
    /// The terminal's colours; nil if none are used.
    private var palette: ColourPairs?
    /// Nil if the terminal can't mark pasted text.
    private let pasting: BracketedPaste?
    /// Whether the characters that arrive now are pasted.
    private var isPasting = false
    private var isClosed = false

    /// The colours and characters that the terminal can show.
    package let capabilities: Capabilities

    /// Takes control of the terminal.
    ///
    /// - Parameters:
    ///   - types: The possible terminal types, the best first. The first known one is used.
    ///   - input: The descriptor to read keys from, open and non-blocking. The screen doesn't close it.
    ///   - withColours: Whether to use colours if there are any.
    ///   - areExact: Whether the terminal is known to show any colour of sRGB.
    ///   - inUnicode: Whether the locale's name says UTF-8. If the system lacks that locale, `C.UTF-8` is
    ///     used.
    /// - Throws: `Failure` if the type is unknown, or if the terminal, the library or a descriptor is
    ///   missing.
    package init(
        types: [String], input descriptor: Int32, withColours: Bool, areExact: Bool = false, inUnicode: Bool
    ) throws(Failure) {
        do throws(SharedLibrary.Failure) { curses = try lockstep_curses.opened() } catch {
            throw .noLibrary(error.reason)
        }
        // Only the character set comes from the environment's locale.
        if setlocale(LC_CTYPE, "") == nil, inUnicode { setlocale(LC_CTYPE, "C.UTF-8") }
        guard let output = Screen.stream(STDOUT_FILENO, "w") else { throw .noDescriptor }
        guard let input = Screen.stream(descriptor, "r") else {
            fclose(output)
            throw .noDescriptor
        }
        TerminalRestorer.saveModes(STDOUT_FILENO)
        var handle: OpaquePointer?
        for type in types where handle == nil { handle = curses.newterm(type, output, input) }
        guard let handle, let window = curses.stdscr.pointee else {
            fclose(output)
            fclose(input)
            throw .unknown(type: types.last ?? "")
        }
        self.handle = handle
        self.output = output
        self.input = input
        self.window = window
        TerminalRestorer.arm(curses)
        _ = curses.cbreak()
        _ = curses.noecho()
        _ = curses.nonl()
        _ = curses.nodelay(window, true)
        _ = curses.keypad(window, true)
        _ = curses.set_escdelay(Screen.escapeDelay)
        pasting = BracketedPaste(curses)
        palette = withColours ? ColourPairs(curses, areExact: areExact) : nil
        capabilities = Capabilities(
            colours: palette?.colours ?? .none,
            isUnicode: String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8")
        send(pasting?.turnOn)
    }

    /// Rings the terminal's bell.
    package func ring() { if !isClosed { send([0x07]) } }

    /// Sends bytes to the terminal directly, not through ncurses.
    private func send(_ bytes: [UInt8]?) {
        guard let bytes else { return }
        fwrite(bytes, 1, bytes.count, output)
        fflush(output)
    }

    deinit { close() }

    /// The longest pause within an escape sequence, in milliseconds. An escape before a longer pause is the
    /// Escape key.
    private static let escapeDelay: Int32 = 25

    private static func stream(_ descriptor: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
        let copy = dup(descriptor)
        guard copy >= 0 else { return nil }
        guard let stream = fdopen(copy, mode) else {
            SystemKit.close(copy)
            return nil
        }
        return stream
    }

    /// The terminal's present size.
    package var size: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return TerminalSize(rows: Int(curses.getmaxy(window)), columns: Int(curses.getmaxx(window)))
        }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }

    /// Shows these cells. Only the changes since the last call are sent.
    package func show(_ grid: Grid) {
        guard !isClosed else { return }
        let size = grid.size
        if curses.getmaxy(window) != size.rows || curses.getmaxx(window) != size.columns {
            _ = curses.resizeterm(Int32(size.rows), Int32(size.columns))
        }
        _ = curses.werase(window)
        for row in 0..<size.rows {
            for column in 0..<size.columns { drawCell(grid[row, column], row, column) }
        }
        if let cursor = grid.cursor {
            _ = curses.wmove(window, Int32(cursor.row), Int32(cursor.column))
            _ = curses.curs_set(1)
        } else {
            _ = curses.curs_set(0)
        }
        _ = curses.wrefresh(window)
    }

    private func drawCell(_ cell: Grid.Cell, _ row: Int, _ column: Int) {
        switch cell {
        case .covered: return
        case .narrow(let text, let style), .wide(let text, let style):
            if cell == .blank { return }
            let characters = text.unicodeScalars.map { wchar_t($0.value) } + [0]
            lockstep_put(
                curses, window, Int32(row), Int32(column), characters, style.attributes,
                palette?.pair(for: style.colour) ?? 0)
        }
    }

    /// Returns the next key, or nil if none is waiting.
    package func readKey() -> Key? {
        guard !isClosed else { return nil }
        var code = wint_t()
        let kind = curses.wget_wch(window, &code)
        guard kind != ERR else { return nil }
        if kind == KEY_CODE_YES {
            let function = Int32(bitPattern: code)
            switch function {
            // Not a key: ncurses reports that `show` has changed the size.
            case KEY_RESIZE: return readKey()
            case BracketedPaste.startCode, BracketedPaste.endCode:
                isPasting = function == BracketedPaste.startCode
                return readKey()
            default: return Key(function: function)
            }
        }
        if isPasting { return Key(pasted: code) }
        guard code == 0x1B else { return Key(typed: code) }
        // A key with Alt held arrives as an escape and the key, without a pause.
        return curses.wget_wch(window, &code) == ERR ? .escape : .other
    }

    /// Restores the terminal for another program, until `resume`.
    package func suspend() {
        guard !isClosed else { return }
        send(pasting?.turnOff)
        _ = curses.endwin()
    }

    /// Takes control again after `suspend`. The caller must show its grid again.
    package func resume() {
        guard !isClosed else { return }
        invalidate()
        _ = curses.wrefresh(window)
        isPasting = false
        send(pasting?.turnOn)
    }

    /// Makes the next `show` send all cells, because something else has written on the screen.
    package func invalidate() { if !isClosed { lockstep_forget_screen(curses) } }

    /// Restores the terminal. May be called twice.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        send(pasting?.turnOff)
        _ = curses.endwin()
        TerminalRestorer.disarm()
        curses.delscreen(handle)
        fclose(output)
        fclose(input)
    }
}

extension Style {
    /// The style's attributes for ncurses, without the colour.
    fileprivate var attributes: attr_t {
        var attributes: attr_t = 0
        if isBold { attributes |= lockstep_bold() }
        if isDim { attributes |= lockstep_dim() }
        if isReversed { attributes |= lockstep_reverse() }
        if isUnderlined { attributes |= lockstep_underline() }
        return attributes
    }
}

extension Key {
    /// The key for a typed character.
    fileprivate init(typed code: wint_t) {
        switch code {
        case 0x0A, 0x0D: self = .enter
        case 0x09: self = .tab
        case 0x08, 0x7F: self = .backspace
        case 0x01...0x1A: self = Unicode.Scalar(code + 0x60).map(Key.control) ?? .other
        case 0x20...: self = Unicode.Scalar(code).map(Key.character) ?? .other
        default: self = .other
        }
    }

    /// The key for a pasted character.
    fileprivate init(pasted code: wint_t) {
        switch code {
        case 0x09, 0x0A, 0x0D: self = .pasted(" ")
        case 0x20..<0x7F, 0x80...: self = Unicode.Scalar(code).map(Key.pasted) ?? .other
        default: self = .other
        }
    }

    /// The key for one of ncurses's codes.
    fileprivate init(function code: Int32) {
        self =
            switch code {
            case KEY_UP: .up
            case KEY_DOWN: .down
            case KEY_LEFT: .left
            case KEY_RIGHT: .right
            case KEY_HOME: .home
            case KEY_END: .end
            case KEY_PPAGE: .pageUp
            case KEY_NPAGE: .pageDown
            case KEY_BACKSPACE: .backspace
            case KEY_DC: .delete
            case KEY_ENTER: .enter
            case KEY_BTAB: .backTab
            default: .other
            }
    }
}
