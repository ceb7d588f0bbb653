/* The yardstick for Spin, so that the search is measured beside a checker that compiles its model to C.

   Every action, with every free choice in it, is one d_step taken from one control state, and nothing but the protocol's
   own variables is stored. So Spin's "states, stored" is the number of states of the protocol: 296652 for R=3, N=8.
   Its "transitions" count one more than the protocol's, since Spin counts entering the initial state. Exact storage,
   no reduction and no symmetry (its depth is that of a depth-first search, so it is no shortest path):

       spin -a -DR=3 -DN=8 -DK=2 yardstick.pml
       gcc -O2 -DSAFETY -DNOREDUCE -DNOFAIR -DMEMLIM=8000 -o pan pan.c
       ./pan -m1000000 -w22

   R is 1, 2 or 3. The options at the end are written out because a choice inside a step would be a state of its own. */

#ifndef K
#define K 2
#endif

typedef Request { byte committed, decode_count, last_len, slot[2]; bit next, last, finished };
typedef Row { byte decode_count, seq_len; bit position };  /* A decode_count of 0 means that the request is absent. */
typedef Batch { bit executed; Row row[R] };

Request q[R];
Batch b[2];     /* The oldest batch is b[0]; what is behind the last batch is all zeros, so that equal states are equal. */
byte batches;

/* A register of one step; being hidden it is no part of a state. */
hidden byte length;

#define has(set, r)      ((((set) >> (r)) & 1) == 1)
#define may_launch(r)    (!q[r].finished && q[r].committed < N)
#define may_finish(r)    (b[0].row[r].decode_count > 0 && !q[r].finished)
#define boundary(k, r)   (b[k].row[r].decode_count > 0 && b[k].row[r].seq_len % K == 0)
#define kept(r)          (q[r].finished && q[r].last_len > 0)
#define near(k, r)       (b[k].row[r].decode_count == 0 || q[r].decode_count - b[k].row[r].decode_count <= 1)
#define targets(k, r)    (!b[k].executed && boundary(k, r) && b[k].row[r].position == q[r].last)

/* A step does the same for each request; a loop may not end a d_step, so the requests are written out here. */
#if R == 1
#define all(set, may)    (!has(set, 0) || may(0))
#define each(one, x)     one(0, x)
#elif R == 2
#define all(set, may)    ((!has(set, 0) || may(0)) && (!has(set, 1) || may(1)))
#define each(one, x)     one(0, x); one(1, x)
#else
#define all(set, may)    ((!has(set, 0) || may(0)) && (!has(set, 1) || may(1)) && (!has(set, 2) || may(2)))
#define each(one, x)     one(0, x); one(1, x); one(2, x)
#endif

#define check_one(r, x) \
    assert(!kept(r) || (q[r].slot[q[r].last] == q[r].last_len && !targets(0, r) && !targets(1, r))); \
    assert(q[r].finished || (near(0, r) && near(1, r)))

#define launch_one(r, set) \
    if \
    :: has(set, r) -> \
        q[r].committed++; \
        q[r].decode_count++; \
        b[batches].row[r].decode_count = q[r].decode_count; \
        b[batches].row[r].seq_len = q[r].committed; \
        b[batches].row[r].position = q[r].next; \
        q[r].next = (q[r].committed % K == 0 -> 1 - q[r].next : q[r].next) \
    :: else \
    fi

#define execute_one(r, k) \
    if \
    :: boundary(k, r) -> q[r].slot[b[k].row[r].position] = b[k].row[r].seq_len \
    :: else \
    fi

#define process_one(r, set) \
    if \
    :: may_finish(r) -> \
        length = q[r].committed - (q[r].decode_count - b[0].row[r].decode_count); \
        q[r].last = (length % K == 0 -> b[0].row[r].position : q[r].last); \
        q[r].last_len = (length % K == 0 -> length : q[r].last_len); \
        q[r].finished = has(set, r) \
    :: else \
    fi; \
    b[0].row[r].decode_count = b[1].row[r].decode_count; b[1].row[r].decode_count = 0; \
    b[0].row[r].seq_len = b[1].row[r].seq_len; b[1].row[r].seq_len = 0; \
    b[0].row[r].position = b[1].row[r].position; b[1].row[r].position = 0

#define launch(set) d_step { \
    batches < 2 && all(set, may_launch); \
    each(launch_one, set); batches++; each(check_one, 0) }

#define execute(k) d_step { \
    batches > k && !b[k].executed && (k == 0 || b[0].executed); \
    each(execute_one, k); b[k].executed = 1; each(check_one, 0) }

#define process(set) d_step { \
    batches > 0 && b[0].executed && all(set, may_finish); \
    each(process_one, set); b[0].executed = b[1].executed; b[1].executed = 0; batches--; each(check_one, 0) }

active proctype protocol() {
end:
    do
    :: execute(0)
    :: execute(1)
    :: launch(1)
    :: process(0)
    :: process(1)
#if R > 1
    :: launch(2)
    :: launch(3)
    :: process(2)
    :: process(3)
#endif
#if R > 2
    :: launch(4)
    :: launch(5)
    :: launch(6)
    :: launch(7)
    :: process(4)
    :: process(5)
    :: process(6)
    :: process(7)
#endif
    od
}
