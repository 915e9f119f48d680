/* Pins: nodes that are moved exactly.
 *
 * Knows which nodes of the finest level lie in the regions of the scene's pins, by their rest
 * positions, and where they are to be at a frame: the pin's motion applied to the rest position.
 * Only nodes of the pin's own body are pinned; a node in several regions belongs to the last of
 * their pins. Where several nodes share a place, those are pinned whose own flesh is in the region
 * as well (near_flesh.h). */
#ifndef SN_MODEL_PINS_H
#define SN_MODEL_PINS_H

#include "io/scene/scene.h"
#include "model/model.h"
#include "motion/motion.h"

typedef struct {
    size_t n;          /* pins */
    sn_moving *moving; /* how each of them moves */
    uint8_t *pinned;   /* for each local node, owned and then ghosts: 1 if it is pinned */
    sn_local n_pinned; /* owned nodes that are pinned */
    sn_local *node;    /* which they are, ascending */
    int32_t *pin;      /* and the pin that each belongs to */
    double (*rest)[3]; /* and where it rests */
} sn_pins;

/* Collective. A pin whose region has no node of its body is an error. Failures name file, line
 * and key; after one there is nothing to free. The scene must live as long as the pins. */
SN_CHECKED sn_status sn_pins_create(const sn_scene *scene, sn_model *model, sn_pins *pins);
void sn_pins_free(sn_pins *pins);

/* Where the pinned nodes are at a frame, which need not be whole: one row for each of `node`. */
void sn_pins_targets(const sn_pins *pins, double frame, double (*target)[3]);

#endif
