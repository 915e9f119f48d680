/* What a scene says about pictures. */
#ifndef SN_RENDER_SETTINGS_H
#define SN_RENDER_SETTINGS_H

#include <stdbool.h>

/* Where pictures are taken from; NAN: what frames the shot. */
typedef struct {
    double eye[3], target[3], up[3];
    double fov; /* vertical */
} sn_camera_settings;

typedef enum { SN_GROUND_AUTO, SN_GROUND_NONE } sn_ground_choice;

typedef struct {
    int width, height, samples;
    bool bones; /* seen through the flesh */
    sn_ground_choice ground;
    double ground_height; /* along up; NAN: found in the scene */
} sn_render_settings;

#endif
