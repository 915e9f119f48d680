#include "base/array.h"
#include "render/picture.h"

void sn_image_free(sn_image *image)
{
    sn_free(image->rgba);
    sn_free(image->depth);
    *image = (sn_image){0};
}
