/* Changes bytes at random, as a fuzzer does: bits, pieces, numbers in binary and in text. */
#ifndef SN_TESTS_MUTATOR_H
#define SN_TESTS_MUTATOR_H

#include "helpers/check.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { MUTATED_ROOM = 16384, MOST_EDITS = 6, LONGEST_PIECE = 64 };

typedef struct {
    char data[MUTATED_ROOM];
    size_t bytes;
} mutated;

static inline size_t pick(unsigned long long *state, size_t count)
{
    return (size_t)(test_random(state) * (double)count);
}

/* Cuts `from` bytes at a place out and puts others in. */
static inline void splice(mutated *m, size_t at, size_t from, const char *text, size_t bytes)
{
    if (m->bytes - from + bytes > sizeof m->data)
        return;
    memmove(m->data + at + bytes, m->data + at + from, m->bytes - at - from);
    memcpy(m->data + at, text, bytes);
    m->bytes += bytes - from;
}

static inline size_t piece_at(const mutated *m, size_t at, unsigned long long *state)
{
    size_t rest = m->bytes - at;
    return 1 + pick(state, rest < LONGEST_PIECE ? rest : LONGEST_PIECE);
}

static inline void repeat_piece(mutated *m, size_t at, unsigned long long *state)
{
    char piece[LONGEST_PIECE + 1];
    size_t from = pick(state, m->bytes), bytes = piece_at(m, from, state);
    bytes = bytes < m->bytes - from ? bytes : m->bytes - from;
    memcpy(piece, m->data + from, bytes);
    splice(m, at, 0, piece, bytes);
}

/* Little-endian, of 1 to 8 bytes, at the ends of what such numbers can be. */
static inline void put_binary(mutated *m, size_t at, unsigned long long *state)
{
    static const uint64_t numbers[] = {0,         1,          0x7f,       0x80,
                                       0xffff,    0x7fffffff, 0x80000000, 0xffffffff,
                                       ~0ull - 7, ~0ull,      1ull << 63, 0x7ff0000000000000};
    uint64_t number = numbers[pick(state, sizeof numbers / sizeof *numbers)];
    size_t bytes = (size_t)1 << pick(state, 4);
    for (size_t i = 0; i < bytes && at + i < m->bytes; i++)
        m->data[at + i] = (char)(number >> 8 * i);
}

/* The number from this place on becomes another. */
static inline void put_number(mutated *m, size_t at, unsigned long long *state)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1e300",
                                          "-1e-300",
                                          "nan",
                                          "inf",
                                          "65536",
                                          "2147483647",
                                          "4294967295",
                                          "9007199254740992",
                                          "1e30",
                                          "0x10",
                                          "",
                                          "-0",
                                          "18446744073709551608",
                                          "1e",
                                          "1.5.5",
                                          "1000000000",
                                          "99999999999999999999"};
    const char *number = numbers[pick(state, sizeof numbers / sizeof *numbers)];
    while (at < m->bytes && !isdigit((unsigned char)m->data[at]))
        at++;
    size_t end = at;
    while (end < m->bytes && strchr("0123456789.eE+-", m->data[end]) && m->data[end])
        end++;
    splice(m, at, end - at, number, strlen(number));
}

static inline void put_sign(mutated *m, size_t at, unsigned long long *state)
{
    static const char signs[] = "{}[]:,-#&*!|>'\"%@`\n\t ~.0e+<\\\r\x80\xff/";
    splice(m, at, 0, signs + pick(state, sizeof signs), 1);
}

static inline void mutate_once(mutated *m, unsigned long long *state)
{
    size_t at = pick(state, m->bytes);
    switch (pick(state, 8)) {
    case 0:
        m->data[at] = (char)(m->data[at] ^ 1 << pick(state, 8));
        break;
    case 1:
        m->data[at] = (char)pick(state, 256);
        break;
    case 2: /* now and then the end is missing */
        m->bytes = pick(state, 4) ? m->bytes : at;
        break;
    case 3:
        splice(m, at, piece_at(m, at, state) - 1, "", 0);
        break;
    case 4:
        repeat_piece(m, at, state);
        break;
    case 5:
        put_binary(m, at, state);
        break;
    case 6:
        put_number(m, at, state);
        break;
    default:
        put_sign(m, at, state);
    }
}

static inline void mutate(mutated *m, unsigned long long *state)
{
    for (size_t edits = 1 + pick(state, MOST_EDITS); edits > 0 && m->bytes > 0; edits--)
        mutate_once(m, state);
}

#endif
