/* What cuco's copy of a program without the harness calls where its region begins and has come to its end. Put before
   every file of it, C or C++. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void cuco_region_begins(void);
void cuco_timed_region_begins(void); /* The same; on the virtual cluster its time is taken by the marks. */
int cuco_region_goes_on(void); /* 1: the region is to be called again. */
int cuco_last_region_goes_on(void); /* The same; the program only looks at results after it. */

#ifdef __cplusplus
}
#endif
