/* The public headers in C, and a host program that has nothing but the shared library. */
#include <stdio.h>
#include <string.h>

#include "whitecap/apic.h"
#include "whitecap/errors.h"
#include "whitecap/whitecap.h"

int main(void) {
    wc_load_desc desc = {0};
    desc.path = "/nowhere/wave";
    if (wc_load(&desc) != NULL || wc_last_error() != WC_ERROR_IO) return 1;
    if (strstr(wc_last_error_message(), "/nowhere/wave.wrp") == NULL) return 2;
    bool loaded = wp_apic_load_graph(NULL, "/nowhere/wave", WP_APIC_DEVICE_CPU) != NULL;
    if (loaded || strlen(wp_get_error_string()) == 0) return 3;
    if (sizeof(APICModuleBytes) != 24) return 4;
    printf("whitecap %s\n", wc_version());
    return 0;
}
