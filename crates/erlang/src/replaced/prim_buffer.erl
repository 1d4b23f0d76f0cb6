%% Buffers that several processes share, as those of files with delayed writes: a lock, and contents.
-module(prim_buffer).
-export([new/0, size/1, read/2, read_iovec/2, write/2, skip/2, wipe/1, find_byte_index/2, try_lock/1, unlock/1]).
new() ->
    Buffer = atomics:new(1, []),
    set(Buffer, <<>>),
    Buffer.
set(Buffer, Bytes) -> persistent_term:put({'$prim_buffer$', Buffer}, Bytes).
bytes(Buffer) -> persistent_term:get({'$prim_buffer$', Buffer}).
size(Buffer) -> byte_size(bytes(Buffer)).
read(Buffer, Size) ->
    <<First:Size/binary, Rest/binary>> = bytes(Buffer),
    set(Buffer, Rest),
    First.
read_iovec(Buffer, Size) -> [read(Buffer, Size)].
write(Buffer, IOVec) -> set(Buffer, iolist_to_binary([bytes(Buffer) | IOVec])).
skip(Buffer, Size) -> _ = read(Buffer, Size), ok.
wipe(Buffer) -> set(Buffer, <<>>).
find_byte_index(Buffer, Byte) ->
    case binary:match(bytes(Buffer), <<Byte>>) of
        {Index, _} -> {ok, Index};
        nomatch -> not_found
    end.
try_lock(Buffer) ->
    case atomics:compare_exchange(Buffer, 1, 0, 1) of
        ok -> acquired;
        _ -> busy
    end.
unlock(Buffer) -> atomics:put(Buffer, 1, 0).
