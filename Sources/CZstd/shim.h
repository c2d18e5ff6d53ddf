#include <zstd.h>

// What zstd works in. Making it takes several times as long as pressing a page of a base or a short run
// does, so each thread keeps one of each kind. What comes out is the same.

static inline size_t repl_zstd_compress(void *to, size_t room, const void *from, size_t length, int level) {
    static _Thread_local ZSTD_CCtx *context;
    if (!context) context = ZSTD_createCCtx();
    if (!context) return ZSTD_compress(to, room, from, length, level);
    return ZSTD_compressCCtx(context, to, room, from, length, level);
}

static inline size_t repl_zstd_decompress(void *to, size_t room, const void *from, size_t length) {
    static _Thread_local ZSTD_DCtx *context;
    if (!context) context = ZSTD_createDCtx();
    if (!context) return ZSTD_decompress(to, room, from, length);
    return ZSTD_decompressDCtx(context, to, room, from, length);
}
