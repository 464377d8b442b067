/*
 * The leases of delivery for two nodes and one event, checked exhaustively by spin: `npm run model`.
 *
 * Node 0 may be suspended between any two of its steps, which also covers a node that ends. Its statements fail without effect, lose
 * their results, or take effect after the node has seen their failure. Time passes in ticks between any two steps. The other node is always
 * alive and takes over as early as the database permits. Because the nodes are equal, what holds for node 0 holds for both.
 *
 * The rules are the assertions at the start of a call: the event is claimed under the lease of the call, and the lease is valid by the clock
 * of the database. The other node calls the event only after the lease of the former call has ended.
 *
 * `-DDEFECT=n` plants a defect that the check must find:
 *   1  a call starts without a valid lease
 *   2  the validity of a lease is measured from the result of a renewal, not from its start
 *   3  a lease that may have expired is used again after a renewal
 *   4  a lease is claimed under after a statement under it was lost, which may still take effect
 *   5  an outcome is written also where another node has claimed the event
 */
#ifndef DEFECT
#define DEFECT 0
#endif

#define NODES 1
/* The leases of node 0 are 1 and 2, that of the other node is 3. */
#define LEASES 4
/* Ticks that a lease lasts in the database, and that a node uses it: the difference is the margin. */
#define LASTS 2
#define USED 1
/* Statements of node 0 that fail in a run. */
#define FAILURES 2

#define firstLease(node) 1
#define lastLease(node) 2
#define OTHER 3

mtype = { nothing, claim, release, renewal };

/* The database. */
byte expiresIn[LEASES];
bool exists[LEASES];
bool isDraining[LEASES];
/* The lease of the event; 0 if it is free. */
byte eventLease;
bool ended;

/* A statement that takes effect later. */
mtype lateKind = nothing;
byte lateLease;
byte failures = FAILURES;

/* The nodes. */
byte current[NODES];
byte usableFor[NODES];
byte sinceSent[NODES];
byte nextLease[NODES];
/* The lease of the claimed event before its call, and during its call until the outcome is written. */
byte waiting[NODES];
byte calling[NODES];
/* The database may have claims under the lease that the node does not know of. */
bool suspect[LEASES];
/* The lease is replaced at the next renewal. */
bool suspected[NODES];

#define mayFail(node) (failures > 0)
#define mayStart(node, lease) (current[node] == lease && usableFor[node] > 0)
#define knows(node) (waiting[node] != 0 || calling[node] != 0)

inline executeClaim(lease) {
  if
  :: exists[lease] && expiresIn[lease] > 0 && !isDraining[lease] && eventLease == 0 && !ended ->
    eventLease = lease
  :: else
  fi
}

inline executeRelease(lease) {
  if
  :: eventLease == lease -> eventLease = 0
  :: else
  fi
}

inline executeRenewal(lease) {
  if
  :: exists[lease] -> expiresIn[lease] = LASTS
  :: else
  fi
}

/* Replaces the lease that may have expired: it drains. */
inline drain(node) {
  isDrained[current[node]] = true;
  suspect[current[node]] = true;
  current[node] = 0;
  usableFor[node] = 0;
  suspected[node] = false;
  waiting[node] = 0
}

/* Leases that the node has replaced and not yet ended. */
bool isDrained[LEASES];

proctype Keeper(byte node) {
  byte one;
  bool alive;
  {
  do
  :: atomic {
      if
      :: current[node] != 0 && (suspected[node] || usableFor[node] == 0) && DEFECT != 3 -> drain(node)
      :: else
      fi;
      one = current[node];
      sinceSent[node] = 0
    }
    if
    :: one != 0 ->
      /* Renews the present lease. */
      if
      :: atomic { executeRenewal(one); alive = exists[one] }
        if
        :: atomic {
            !alive ->
            suspect[one] = true;
            current[node] = 0;
            usableFor[node] = 0;
            suspected[node] = false;
            waiting[node] = 0
          }
        :: atomic {
            alive ->
            if
            :: DEFECT == 2 -> usableFor[node] = USED
            :: DEFECT == 3 -> usableFor[node] = USED
            :: DEFECT != 2 && DEFECT != 3 && usableFor[node] > 0 ->
              usableFor[node] = (sinceSent[node] < USED -> USED - sinceSent[node] : 0)
            :: DEFECT != 2 && DEFECT != 3 && usableFor[node] == 0 -> drain(node)
            fi
          }
        :: atomic { mayFail(node) -> failures-- }
        fi
      :: atomic { mayFail(node) && lateKind == nothing -> failures--; lateKind = renewal; lateLease = one }
      fi
    :: one == 0 && nextLease[node] <= lastLease(node) ->
      /* Takes a new lease. */
      atomic {
        one = nextLease[node];
        nextLease[node]++;
        exists[one] = true;
        expiresIn[one] = LASTS
      }
      atomic {
        current[node] = one;
        usableFor[node] = (DEFECT == 2 -> USED : (sinceSent[node] < USED -> USED - sinceSent[node] : 0))
      }
    :: else
    fi;
    atomic { one = 0; alive = false; sinceSent[node] = USED }
  :: atomic {
      /* Renews and marks a lease that drains; others do not take its work while its call is open. */
      one = firstLease(node);
      do
      :: one < lastLease(node) && !isDrained[one] -> one++
      :: else -> break
      od;
      isDrained[one] && exists[one] && calling[node] == one && expiresIn[one] < LASTS ->
      isDraining[one] = true;
      expiresIn[one] = LASTS;
      one = 0
    }
  :: atomic {
      /* Ends a drained lease without calls: deletes it, then releases its claims. */
      one = firstLease(node);
      do
      :: one < lastLease(node) && !isDrained[one] -> one++
      :: else -> break
      od;
      isDrained[one] && calling[node] != one ->
      exists[one] = false;
      expiresIn[one] = 0
    }
    atomic { executeRelease(one); isDrained[one] = false; isDraining[one] = false; suspect[one] = false; one = 0 }
  od
  } unless { ended }
}

proctype Worker(byte node) {
  byte lease;
  byte unknown;
  byte claimed;
  {
  do
  :: atomic {
      mayStart(node, current[node]) && current[node] != 0 && !knows(node) && (!suspected[node] || DEFECT == 4) ->
      lease = current[node];
      unknown = firstLease(node);
      do
      :: unknown < lastLease(node) && !suspect[unknown] -> unknown++
      :: else -> break
      od
    }
    /* Releases claims that the node does not know of. */
    if
    :: atomic { suspect[unknown] -> suspect[unknown] = false }
      if
      :: atomic { executeRelease(unknown) }
      :: atomic {
          mayFail(node) && lateKind == nothing ->
          failures--;
          lateKind = release;
          lateLease = unknown;
          suspect[unknown] = true;
          suspected[node] = true;
          lease = 0
        }
      fi
    :: !suspect[unknown]
    fi;
    if
    :: lease != 0 ->
      if
      :: atomic { executeClaim(lease); claimed = (eventLease == lease -> lease : 0) }
        if
        :: atomic {
            claimed != 0 && (mayStart(node, claimed) || DEFECT == 1) -> waiting[node] = claimed
          }
        :: atomic { claimed != 0 && !mayStart(node, claimed) && DEFECT != 1 -> suspect[claimed] = true }
        :: claimed == 0
        :: atomic { mayFail(node) -> failures--; suspect[lease] = true; suspected[node] = true }
        fi
      :: atomic {
          mayFail(node) && lateKind == nothing ->
          failures--;
          lateKind = claim;
          lateLease = lease;
          suspect[lease] = true;
          suspected[node] = true
        }
      fi
    :: else
    fi;
    atomic { lease = 0; unknown = 0; claimed = 0 }
  :: atomic {
      waiting[node] != 0 && (mayStart(node, waiting[node]) || DEFECT == 1) ->
      assert(!ended && eventLease == waiting[node]);
      assert(exists[waiting[node]] && expiresIn[waiting[node]] > 0);
      calling[node] = waiting[node];
      waiting[node] = 0
    }
  :: atomic {
      /* Writes the outcome; a result that is lost is written again. */
      calling[node] != 0 ->
      if
      :: eventLease == calling[node] || DEFECT == 5 ->
        assert(eventLease == calling[node] || eventLease == 0);
        eventLease = 0;
        ended = true
      :: else
      fi;
      if
      :: true
      :: mayFail(node) -> failures--; goto unwritten
      fi;
      calling[node] = 0;
unwritten:
      skip
    }
  od
  } unless { ended }
}

/* Takes over the event when the lease of node 0 has expired, and calls it when it is free. */
proctype Other() {
  byte one;
  {
  do
  :: atomic {
      one = 1;
      do
      :: one < OTHER ->
        exists[one] = exists[one] && expiresIn[one] > 0;
        one++
      :: else -> break
      od;
      one = 0;
      if
      :: eventLease != 0 && !exists[eventLease] -> eventLease = 0
      :: else
      fi
    }
  :: atomic { eventLease == 0 -> assert(calling[0] == 0 || !exists[calling[0]]); eventLease = OTHER }
  :: atomic { eventLease == OTHER -> eventLease = 0; ended = true }
  od
  } unless { ended }
}

/* Statements that take effect after their node has seen a failure. */
proctype Network() {
  {
  do
  :: atomic {
      lateKind != nothing ->
      if
      :: lateKind == claim -> executeClaim(lateLease)
      :: lateKind == release -> executeRelease(lateLease)
      :: lateKind == renewal -> executeRenewal(lateLease)
      fi;
      lateKind = nothing;
      lateLease = 0
    }
  od
  } unless { ended }
}

proctype Clock() {
  byte one;
  {
  do
  :: d_step {
      one = 0;
      do
      :: one < LEASES ->
        expiresIn[one] = (expiresIn[one] > 0 -> expiresIn[one] - 1 : 0);
        one++
      :: else -> break
      od;
      one = 0;
      do
      :: one < NODES ->
        usableFor[one] = (usableFor[one] > 0 -> usableFor[one] - 1 : 0);
        sinceSent[one] = (sinceSent[one] < USED -> sinceSent[one] + 1 : USED);
        one++
      :: else -> break
      od;
      one = 0
    }
  od
  } unless { ended }
}

init {
  atomic {
    nextLease[0] = firstLease(0);
    sinceSent[0] = USED;
    exists[OTHER] = true;
    run Keeper(0);
    run Worker(0);
    run Other();
    run Network();
    run Clock()
  }
}
