/* What commands have in common at the command line: one table of options each.
 *
 * A command says what its options are called, what follows them, what they are for and where their
 * values go, in a struct of its own. The rest is here: help, unknown options, missing values, one
 * plain argument (a scene, a run directory) or two, and -P. */
#ifndef SN_CLI_ARGUMENTS_H
#define SN_CLI_ARGUMENTS_H

#include "base/array.h"
#include "io/scene/scene.h"

#include <stdbool.h>

typedef struct sn_option sn_option;

/* Stores at `to` what stands behind an option: "" if nothing does, NULL if nothing has to. Fails,
 * with the names of the command and the option in the message, if that is not what is needed. */
typedef sn_status sn_option_reader(const char *command, const sn_option *option, const char *text,
                                   void *to);

struct sn_option {
    const char *name;  /* "--size" */
    const char *value; /* what has to follow, for the help: "N"; NULL if nothing has to */
    const char *help;  /* a line or several */
    sn_option_reader *read;
    size_t to;     /* offset in the command's struct */
    int most;      /* for sn_read_whole */
    double unless; /* what it is if not given, for the help; 0 says nothing */
};

/* A bool becomes true. */
sn_status sn_read_flag(const char *command, const sn_option *option, const char *text, void *to);
/* A const char *, which stays the command line's. */
sn_status sn_read_text(const char *command, const sn_option *option, const char *text, void *to);
/* An int from 1 to the option's `most`. */
sn_status sn_read_whole(const char *command, const sn_option *option, const char *text, void *to);
/* A double: greater than 0, or from 0 on. */
sn_status sn_read_positive(const char *command, const sn_option *option, const char *text,
                           void *to);
sn_status sn_read_from_zero(const char *command, const sn_option *option, const char *text,
                            void *to);
/* A key of the scene and its value, for sn_overrides. */
sn_status sn_read_override(const char *command, const sn_option *option, const char *text,
                           void *to);

/* For readers: a whole number from 1 to `most` at the head of a text, and what follows it. */
bool sn_parse_whole(const char *text, int most, int *value, const char **rest);
/* For readers: 1600x1000, and nothing more. */
bool sn_parse_pixels(const char *text, int *width, int *height);

typedef struct {
    const char *name;          /* of the command */
    const char *usage;         /* the lines of all its forms, without "usage: " */
    const char *about, *notes; /* before and after the options; notes may be NULL */
    const char *plain;         /* what the plain argument is: "scene" */
    size_t plain_to;           /* offset of a const char * */
    const char *second;        /* what a second one may be: "motion"; NULL: there is none */
    size_t second_to;
    const sn_option *option;
    int n_options;
    void (*print_more)(void); /* the last part of the help; may be NULL */
    /* Collective: what the command does with its struct. */
    sn_status (*act)(MPI_Comm comm, void *arguments);
} sn_command_line;

#define SN_OPTIONS(table) .option = (table), .n_options = (int)(sizeof(table) / sizeof *(table))

/* Collective. Answers --help or -h, anywhere; otherwise fills the command's struct, which holds
 * what counts for options that are not given, and has it act. The caller frees the struct. */
SN_CHECKED sn_status sn_command_line_run(const sn_command_line *line, MPI_Comm comm, int argc,
                                         char **argv, void *arguments);

/* For `act`: asks for the plain argument, if it is NULL. */
SN_CHECKED sn_status sn_require_plain(const sn_command_line *line, const char *given);

/* Values for keys of a scene, as key=value. Starts as zero. */
typedef struct {
    SN_VECTOR(const char *) list; /* copies */
} sn_overrides;

void sn_overrides_add(sn_overrides *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sn_overrides_free(sn_overrides *o);

/* Collective: the scene with these values. */
SN_CHECKED sn_status sn_overrides_read_scene(MPI_Comm comm, const char *path, const sn_overrides *o,
                                             sn_scene *scene);

#endif
