/* Half a turn in radians: the one place where it is written down. */
#ifndef SN_BASE_PI_H
#define SN_BASE_PI_H

#define SN_PI 3.14159265358979323846

#endif
