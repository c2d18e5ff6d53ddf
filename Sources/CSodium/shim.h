// libsodium, and its running BLAKE2b in a form that Swift can hold as a value: the library's state type is packed and
// aligned to 64 bytes, which Swift does not import. These functions copy the state into an aligned one for each call.
#include <sodium.h>
#include <string.h>

typedef struct {
    uint64_t words[48];
} running_blake2b;

_Static_assert(sizeof(running_blake2b) >= sizeof(crypto_generichash_blake2b_state), "the state fits");

static inline int running_blake2b_init(running_blake2b *state, const unsigned char *personal) {
    crypto_generichash_blake2b_state aligned;
    int status = crypto_generichash_blake2b_init_salt_personal(&aligned, NULL, 0, 32, NULL, personal);
    memcpy(state, &aligned, sizeof aligned);
    return status;
}

static inline int running_blake2b_update(running_blake2b *state, const unsigned char *bytes, unsigned long long count) {
    crypto_generichash_blake2b_state aligned;
    memcpy(&aligned, state, sizeof aligned);
    int status = crypto_generichash_blake2b_update(&aligned, bytes, count);
    memcpy(state, &aligned, sizeof aligned);
    return status;
}

// Leaves `state` as it was, so that it can go on.
static inline int running_blake2b_finish(const running_blake2b *state, unsigned char *out32) {
    crypto_generichash_blake2b_state aligned;
    memcpy(&aligned, state, sizeof aligned);
    return crypto_generichash_blake2b_final(&aligned, out32, 32);
}
