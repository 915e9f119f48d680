#include "base/affine.h"

/* A volume this much smaller than that of a box with the same edges counts as none. */
static const double FLAT = 1e-12;

sn_affine sn_affine_of(const double numbers[12])
{
    sn_affine map;
    for (int i = 0; i < 12; i++)
        map.row[i / 4][i % 4] = numbers[i];
    return map;
}

bool sn_affine_is_finite(const sn_affine *map)
{
    for (int i = 0; i < 12; i++)
        if (!isfinite(map->row[i / 4][i % 4]))
            return false;
    return true;
}

void sn_affine_apply(const sn_affine *map, const double point[3], double image[3])
{
    double p[3] = {point[0], point[1], point[2]};
    for (int i = 0; i < 3; i++)
        image[i] =
            map->row[i][0] * p[0] + map->row[i][1] * p[1] + map->row[i][2] * p[2] + map->row[i][3];
}

sn_affine sn_affine_after(const sn_affine *a, const sn_affine *b)
{
    sn_affine result;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            result.row[i][j] = a->row[i][0] * b->row[0][j] + a->row[i][1] * b->row[1][j] +
                               a->row[i][2] * b->row[2][j] + (j == 3 ? a->row[i][3] : 0);
    return result;
}

static sn_vec column(const sn_affine *map, int j)
{
    return (sn_vec){map->row[0][j], map->row[1][j], map->row[2][j]};
}

double sn_affine_determinant(const sn_affine *map)
{
    return sn_vec_dot(column(map, 0), sn_vec_cross(column(map, 1), column(map, 2)));
}

bool sn_affine_invert(const sn_affine *map, sn_affine *inverse)
{
    sn_vec a = column(map, 0), b = column(map, 1), c = column(map, 2), shift = column(map, 3);
    sn_vec rows[3] = {sn_vec_cross(b, c), sn_vec_cross(c, a), sn_vec_cross(a, b)};
    double volume = sn_vec_dot(a, rows[0]);
    double most = sn_vec_length(a) * sn_vec_length(b) * sn_vec_length(c);
    if (!(fabs(volume) > FLAT * most) || !isfinite(volume))
        return false;
    for (int i = 0; i < 3; i++) {
        sn_vec row = sn_vec_scale(rows[i], 1 / volume);
        sn_vec_store(row, inverse->row[i]);
        inverse->row[i][3] = -sn_vec_dot(row, shift);
    }
    return true;
}

sn_affine sn_affine_rigid(sn_quaternion turn, sn_vec shift)
{
    double w = turn.w, x = turn.v.x, y = turn.v.y, z = turn.v.z;
    return (sn_affine){
        {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), shift.x},
         {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), shift.y},
         {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), shift.z}}};
}

double sn_affine_not_rigid(const sn_affine *map)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double dot = sn_vec_dot(column(map, i), column(map, j));
            most = fmax(most, fabs(dot - (i == j)));
        }
    sn_vec cross = sn_vec_cross(column(map, 0), column(map, 1));
    return fmax(most, fabs(sn_vec_dot(cross, column(map, 2)) - 1));
}

/* From the largest of the four components, so that nothing small is divided by. */
sn_quaternion sn_affine_turn(const sn_affine *map)
{
    double x = map->row[0][0], y = map->row[1][1], z = map->row[2][2];
    double square[4] = {1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[largest])
            largest = i;
    double yz = map->row[2][1] - map->row[1][2], zy = map->row[2][1] + map->row[1][2];
    double zx = map->row[0][2] - map->row[2][0], xz = map->row[0][2] + map->row[2][0];
    double xy = map->row[1][0] - map->row[0][1], yx = map->row[1][0] + map->row[0][1];
    double s = square[largest];
    sn_quaternion turn = largest == 0   ? (sn_quaternion){s, {yz, zx, xy}}
                         : largest == 1 ? (sn_quaternion){yz, {s, yx, xz}}
                         : largest == 2 ? (sn_quaternion){zx, {yx, s, zy}}
                                        : (sn_quaternion){xy, {xz, zy, s}};
    return sn_quaternion_unit(turn);
}
