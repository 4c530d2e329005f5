#pragma once
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#define NCURSES_NOMACROS 1
#include <dlfcn.h>
#include <wchar.h>
#include <curses.h>

// Declared in <term.h>, which also defines hundreds of macros with names such as `lines`.
extern char *tigetstr(const char *);
extern int tigetflag(const char *);

// The library isn't linked: a process opens it before it shows a screen. These declarations give the types of
// its functions and variables.

#define LOCKSTEP_CURSES_SYMBOLS(each) \
    each(newterm) \
    each(delscreen) \
    each(endwin) \
    each(cbreak) \
    each(noecho) \
    each(nonl) \
    each(nodelay) \
    each(keypad) \
    each(set_escdelay) \
    each(define_key) \
    each(wget_wch) \
    each(getmaxx) \
    each(getmaxy) \
    each(resizeterm) \
    each(werase) \
    each(wmove) \
    each(curs_set) \
    each(wrefresh) \
    each(clearok) \
    each(setcchar) \
    each(mvwadd_wch) \
    each(has_colors) \
    each(start_color) \
    each(use_default_colors) \
    each(init_extended_pair) \
    each(can_change_color) \
    each(init_extended_color) \
    each(tigetstr) \
    each(tigetflag) \
    each(stdscr) \
    each(curscr) \
    each(COLORS)

/// The functions and variables in use, found in the opened library.
struct lockstep_curses {
#define LOCKSTEP_CURSES_FIELD(name) __typeof__(name) *_Nonnull name;
    LOCKSTEP_CURSES_SYMBOLS(LOCKSTEP_CURSES_FIELD)
#undef LOCKSTEP_CURSES_FIELD
};

/// Finds all functions and variables in a library that dlopen(3) has opened. Returns false if one is missing;
/// dlerror(3) then has the reason.
static inline _Bool lockstep_curses_find(void *_Nonnull library, struct lockstep_curses *_Nonnull curses) {
    void *found;
#define LOCKSTEP_CURSES_FIND(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    curses->name = (__typeof__(name) *)found;
    LOCKSTEP_CURSES_SYMBOLS(LOCKSTEP_CURSES_FIND)
#undef LOCKSTEP_CURSES_FIND
    return 1;
}

// Functions for ncurses' macros with parameters and for its variables.

static inline attr_t lockstep_bold(void) { return A_BOLD; }
static inline attr_t lockstep_dim(void) { return A_DIM; }
static inline attr_t lockstep_reverse(void) { return A_REVERSE; }
static inline attr_t lockstep_underline(void) { return A_UNDERLINE; }

/// Makes the next refresh write the whole screen again.
static inline void lockstep_forget_screen(struct lockstep_curses curses) {
    curses.clearok(*curses.curscr, TRUE);
}

/// Puts a character and its combining marks into a cell.
static inline void lockstep_put(
    struct lockstep_curses curses, WINDOW *window, int row, int column, const wchar_t *text,
    attr_t attributes, int pair) {
    cchar_t cell;
    if (curses.setcchar(&cell, text, attributes, 0, &pair) == OK) {
        curses.mvwadd_wch(window, row, column, &cell);
    }
}
