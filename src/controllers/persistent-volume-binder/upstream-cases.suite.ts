/**
 * Upstream's cases for one synchronization of a claim or a volume, by value (`pv_controller_test.go`,
 * `binder_test.go`). A case is a title with the kind that is synchronized, the objects (`->` is the object afterwards, if
 * it changes), and the Events.
 *
 *     volume NAME SIZE PHASE for=CLAIM/UID POLICY class=CLASS attributes=CLASS Block labelled +ANNOTATION
 *     claim NAME/UID SIZE PHASE volume=NAME capacity=SIZE class=CLASS attributes=CLASS current=CLASS Block RWX selecting +ANNOTATION
 */
export const upstreamCases = `
1-1 - successful bind: claim
  volume volume1-1 1Gi Available
  -> volume1-1 1Gi Bound for=claim1-1/uid1-1 +bound-by-controller
  claim claim1-1/uid1-1 1Gi Pending
  -> claim1-1/uid1-1 1Gi Bound volume=volume1-1 +bound-by-controller +bind-completed

1-2 - noop: claim
  volume volume1-2 1Gi Available
  claim claim1-2/uid1-2 10Gi Pending
  Normal FailedBinding

1-3 - reset to Pending: claim
  volume volume1-3 1Gi Available
  claim claim1-3/uid1-3 10Gi Bound
  -> claim1-3/uid1-3 10Gi Pending
  Normal FailedBinding

1-4 - smallest volume: claim
  volume volume1-4_1 10Gi Available
  volume volume1-4_2 1Gi Available
  -> volume1-4_2 1Gi Bound for=claim1-4/uid1-4 +bound-by-controller
  claim claim1-4/uid1-4 1Gi Pending
  -> claim1-4/uid1-4 1Gi Bound volume=volume1-4_2 +bound-by-controller +bind-completed

1-5 - prebound volume by name - success: claim
  volume volume1-5_1 10Gi Available for=claim1-5
  -> volume1-5_1 10Gi Bound for=claim1-5/uid1-5
  volume volume1-5_2 1Gi Available
  claim claim1-5/uid1-5 1Gi Pending
  -> claim1-5/uid1-5 1Gi Bound volume=volume1-5_1 capacity=10Gi +bound-by-controller +bind-completed

1-6 - prebound volume by UID - success: claim
  volume volume1-6_1 10Gi Available for=claim1-6/uid1-6
  -> volume1-6_1 10Gi Bound for=claim1-6/uid1-6
  volume volume1-6_2 1Gi Available
  claim claim1-6/uid1-6 1Gi Pending
  -> claim1-6/uid1-6 1Gi Bound volume=volume1-6_1 capacity=10Gi +bound-by-controller +bind-completed

1-7 - prebound volume to different claim: claim
  volume volume1-7 10Gi Available for=claim1-7/uid1-777
  claim claim1-7/uid1-7 1Gi Pending
  Normal FailedBinding

1-8 - complete bind after crash - PV bound: claim
  volume volume1-8 1Gi Available for=claim1-8/uid1-8 +bound-by-controller
  -> volume1-8 1Gi Bound for=claim1-8/uid1-8 +bound-by-controller
  claim claim1-8/uid1-8 1Gi Pending
  -> claim1-8/uid1-8 1Gi Bound volume=volume1-8 +bound-by-controller +bind-completed

1-9 - complete bind after crash - PV status saved: claim
  volume volume1-9 1Gi Bound for=claim1-9/uid1-9 +bound-by-controller
  claim claim1-9/uid1-9 1Gi Pending
  -> claim1-9/uid1-9 1Gi Bound volume=volume1-9 +bound-by-controller +bind-completed

1-10 - complete bind after crash - PVC bound: claim
  volume volume1-10 1Gi Bound for=claim1-10/uid1-10 +bound-by-controller
  claim claim1-10/uid1-10 1Gi Pending volume=volume1-10 +bound-by-controller +bind-completed
  -> claim1-10/uid1-10 1Gi Bound volume=volume1-10 +bound-by-controller +bind-completed

1-11 - bind when selector matches: claim
  volume volume1-1 1Gi Available labelled
  -> volume1-1 1Gi Bound for=claim1-1/uid1-1 labelled +bound-by-controller
  claim claim1-1/uid1-1 1Gi Pending selecting
  -> claim1-1/uid1-1 1Gi Bound volume=volume1-1 selecting +bound-by-controller +bind-completed

1-12 - do not bind when selector does not match: claim
  volume volume1-1 1Gi Available
  claim claim1-1/uid1-1 1Gi Pending selecting
  Normal FailedBinding

1-13 - delayed binding: claim
  volume volume1-1 1Gi Available class=wait
  claim claim1-1/uid1-1 1Gi Pending class=wait
  Normal WaitForFirstConsumer

1-14 - successful prebound PV: claim
  volume volume1-1 1Gi Available for=claim1-1 class=wait
  -> volume1-1 1Gi Bound for=claim1-1/uid1-1 class=wait
  claim claim1-1/uid1-1 1Gi Pending class=wait
  -> claim1-1/uid1-1 1Gi Bound volume=volume1-1 class=wait +bound-by-controller +bind-completed

1-15 - successful prebound PVC: claim
  volume volume1-15_1 10Gi Available
  -> volume1-15_1 10Gi Bound for=claim1-15/uid1-15 +bound-by-controller
  volume volume1-15_2 1Gi Available
  claim claim1-15/uid1-15 1Gi Pending volume=volume1-15_1
  -> claim1-15/uid1-15 1Gi Bound volume=volume1-15_1 capacity=10Gi +bind-completed

1-16 - claim prebound to a volume with other access modes: claim
  volume volume1-16 1Gi Available
  claim claim1-16/uid1-16 1Gi Pending volume=volume1-16 RWX
  Warning VolumeMismatch

1-17 - skip non-available PV if it's not pre-bind: claim
  volume volume1-17-pending 1Gi Pending
  volume volume1-17-failed 1Gi Failed
  volume volume1-17-released 1Gi Released
  volume volume1-17-empty 1Gi NoPhase
  claim claim1-17/uid1-17 1Gi Pending
  Normal FailedBinding

1-18 - successful pre-bound PV to PVC provisioning: claim
  volume volume1-18 1Gi Available for=claim1-18/uid1-18 class=wait
  -> volume1-18 1Gi Bound for=claim1-18/uid1-18 class=wait
  claim claim1-18/uid1-18 1Gi Pending class=wait node=node1
  -> claim1-18/uid1-18 1Gi Bound volume=volume1-18 class=wait node=node1 +bound-by-controller +bind-completed

2-1 - claim prebound to non-existing volume - noop: claim
  claim claim2-1/uid2-1 10Gi Pending volume=volume2-1

2-2 - claim prebound to non-existing volume - reset status: claim
  claim claim2-2/uid2-2 10Gi Bound volume=volume2-2
  -> claim2-2/uid2-2 10Gi Pending volume=volume2-2

2-3 - claim prebound to unbound volume: claim
  volume volume2-3 1Gi Available
  -> volume2-3 1Gi Bound for=claim2-3/uid2-3 +bound-by-controller
  claim claim2-3/uid2-3 1Gi Pending volume=volume2-3
  -> claim2-3/uid2-3 1Gi Bound volume=volume2-3 +bind-completed

2-4 - claim prebound to prebound volume by name: claim
  volume volume2-4 1Gi Available for=claim2-4
  -> volume2-4 1Gi Bound for=claim2-4/uid2-4
  claim claim2-4/uid2-4 1Gi Pending volume=volume2-4
  -> claim2-4/uid2-4 1Gi Bound volume=volume2-4 +bind-completed

2-5 - claim prebound to prebound volume by UID: claim
  volume volume2-5 1Gi Available for=claim2-5/uid2-5
  -> volume2-5 1Gi Bound for=claim2-5/uid2-5
  claim claim2-5/uid2-5 1Gi Pending volume=volume2-5
  -> claim2-5/uid2-5 1Gi Bound volume=volume2-5 +bind-completed

2-6 - claim prebound to already bound volume: claim
  volume volume2-6 1Gi Bound for=claim2-6_1/uid2-6_1
  claim claim2-6/uid2-6 1Gi Bound volume=volume2-6
  -> claim2-6/uid2-6 1Gi Pending volume=volume2-6
  Warning FailedBinding

2-7 - claim bound by controller to already bound volume: claim
  volume volume2-7 1Gi Bound for=claim2-7_1/uid2-7_1
  claim claim2-7/uid2-7 1Gi Bound volume=volume2-7 +bound-by-controller
  Warning FailedBinding
  error

2-8 - claim prebound to unbound volume that does not match the selector: claim
  volume volume2-8 1Gi Available
  -> volume2-8 1Gi Bound for=claim2-8/uid2-8 +bound-by-controller
  claim claim2-8/uid2-8 1Gi Pending volume=volume2-8 selecting
  -> claim2-8/uid2-8 1Gi Bound volume=volume2-8 selecting +bind-completed

2-9 - claim prebound to unbound volume that size is smaller than requested: claim
  volume volume2-9 1Gi Available
  claim claim2-9/uid2-9 2Gi Bound volume=volume2-9
  -> claim2-9/uid2-9 2Gi Pending volume=volume2-9
  Warning VolumeMismatch

2-10 - claim prebound to unbound volume that class is different: claim
  volume volume2-10 1Gi Available class=gold
  claim claim2-10/uid2-10 1Gi Bound volume=volume2-10
  -> claim2-10/uid2-10 1Gi Pending volume=volume2-10
  Warning VolumeMismatch

3-1 - bound claim with missing VolumeName: claim
  claim claim3-1/uid3-1 10Gi Bound +bound-by-controller +bind-completed
  -> claim3-1/uid3-1 10Gi Lost +bound-by-controller +bind-completed
  Warning ClaimLost

3-2 - bound claim with missing volume: claim
  claim claim3-2/uid3-2 10Gi Bound volume=volume3-2 +bound-by-controller +bind-completed
  -> claim3-2/uid3-2 10Gi Lost volume=volume3-2 +bound-by-controller +bind-completed
  Warning ClaimLost

3-3 - bound claim with unbound volume: claim
  volume volume3-3 10Gi Available
  -> volume3-3 10Gi Bound for=claim3-3/uid3-3 +bound-by-controller
  claim claim3-3/uid3-3 10Gi Pending volume=volume3-3 +bound-by-controller +bind-completed
  -> claim3-3/uid3-3 10Gi Bound volume=volume3-3 +bound-by-controller +bind-completed

3-4 - bound claim with prebound volume: claim
  volume volume3-4 10Gi Available for=claim3-4/claim3-4-x
  claim claim3-4/uid3-4 10Gi Pending volume=volume3-4 +bound-by-controller +bind-completed
  -> claim3-4/uid3-4 10Gi Lost volume=volume3-4 +bound-by-controller +bind-completed
  Warning ClaimMisbound

3-5 - bound claim with bound volume: claim
  volume volume3-5 10Gi Available for=claim3-5/uid3-5
  -> volume3-5 10Gi Bound for=claim3-5/uid3-5
  claim claim3-5/uid3-5 10Gi Pending volume=volume3-5 +bind-completed
  -> claim3-5/uid3-5 10Gi Bound volume=volume3-5 +bind-completed

3-6 - bound claim with bound volume: claim
  volume volume3-6 10Gi Available for=claim3-6-x/uid3-6-x
  claim claim3-6/uid3-6 10Gi Pending volume=volume3-6 +bind-completed
  -> claim3-6/uid3-6 10Gi Lost volume=volume3-6 +bind-completed
  Warning ClaimMisbound

3-7 - bound claim with unbound volume where selector doesn't match: claim
  volume volume3-3 10Gi Available
  -> volume3-3 10Gi Bound for=claim3-3/uid3-3 +bound-by-controller
  claim claim3-3/uid3-3 10Gi Pending volume=volume3-3 selecting +bound-by-controller +bind-completed
  -> claim3-3/uid3-3 10Gi Bound volume=volume3-3 selecting +bound-by-controller +bind-completed

4-1 - pending volume: volume
  volume volume4-1 10Gi Available

4-2 - pending prebound volume: volume
  volume volume4-2 10Gi Available for=claim4-2

4-3 - bound volume with missing claim: volume
  volume volume4-3 10Gi Bound for=claim4-3/uid4-3
  -> volume4-3 10Gi Released for=claim4-3/uid4-3

4-4 - volume bound to claim with different UID: volume
  volume volume4-4 10Gi Bound for=claim4-4/uid4-4
  -> volume4-4 10Gi Released for=claim4-4/uid4-4
  claim claim4-4/uid4-4-x 10Gi Bound volume=volume4-4 +bind-completed

4-5 - volume bound by controller to unbound claim: volume
  volume volume4-5 10Gi Bound for=claim4-5/uid4-5 +bound-by-controller
  claim claim4-5/uid4-5 10Gi Pending

4-5 - volume bound by user to bound claim: volume
  volume volume4-5 10Gi Bound for=claim4-5/uid4-5
  claim claim4-5/uid4-5 10Gi Pending

4-6 - volume bound by to bound claim: volume
  volume volume4-6 10Gi Available for=claim4-6/uid4-6
  -> volume4-6 10Gi Bound for=claim4-6/uid4-6
  claim claim4-6/uid4-6 10Gi Bound volume=volume4-6

4-7 - volume bound by controller to claim bound somewhere else: volume
  volume volume4-7 10Gi Bound for=claim4-7/uid4-7 +bound-by-controller
  -> volume4-7 10Gi Available
  claim claim4-7/uid4-7 10Gi Bound volume=volume4-7-x

4-8 - volume bound by user to claim bound somewhere else: volume
  volume volume4-8 10Gi Bound for=claim4-8/uid4-8
  -> volume4-8 10Gi Available for=claim4-8
  claim claim4-8/uid4-8 10Gi Bound volume=volume4-8-x

4-9 - volume bound to bound claim, with PersistentVolumeReclaimDelete: volume
  volume volume4-9 10Gi Available for=claim4-9/uid4-9 Delete
  -> volume4-9 10Gi Bound for=claim4-9/uid4-9 Delete
  claim claim4-9/uid4-9 10Gi Bound volume=volume4-9

4-10 - volume bound to missing claim: volume
  volume volume4-10 10Gi Available for=claim4-10/uid4-10 Delete
  -> volume4-10 10Gi Failed for=claim4-10/uid4-10 Delete
  Warning VolumeFailedDelete

4-11 - volume bound to unknown claim: volume
  volume volume4-11 10Gi Available for=claim4-11/uid4-11 Delete
  -> volume4-11 10Gi Bound for=claim4-11/uid4-11 Delete
  claim claim4-11/uid4-11 10Gi Bound volume=volume4-11 +annSkipLocalStore

13-1 - binding to class: claim
  volume volume13-1-1 1Gi Available
  volume volume13-1-2 10Gi Available class=gold
  -> volume13-1-2 10Gi Bound for=claim13-1/uid13-1 class=gold +bound-by-controller
  claim claim13-1/uid13-1 1Gi Pending class=gold
  -> claim13-1/uid13-1 1Gi Bound volume=volume13-1-2 capacity=10Gi class=gold +bound-by-controller +bind-completed

13-2 - binding without a class: claim
  volume volume13-2-1 1Gi Available class=gold
  volume volume13-2-2 10Gi Available
  -> volume13-2-2 10Gi Bound for=claim13-2/uid13-2 +bound-by-controller
  claim claim13-2/uid13-2 1Gi Pending
  -> claim13-2/uid13-2 1Gi Bound volume=volume13-2-2 capacity=10Gi +bound-by-controller +bind-completed

13-3 - binding to specific a class: claim
  volume volume13-3-1 1Gi Available class=silver
  volume volume13-3-2 10Gi Available class=gold
  -> volume13-3-2 10Gi Bound for=claim13-3/uid13-3 class=gold +bound-by-controller
  claim claim13-3/uid13-3 1Gi Pending class=gold
  -> claim13-3/uid13-3 1Gi Bound volume=volume13-3-2 capacity=10Gi class=gold +bound-by-controller +bind-completed

13-4 - empty class: claim
  volume volume13-4 1Gi Available
  -> volume13-4 1Gi Bound for=claim13-4/uid13-4 +bound-by-controller
  claim claim13-4/uid13-4 1Gi Pending class=
  -> claim13-4/uid13-4 1Gi Bound volume=volume13-4 class= +bound-by-controller +bind-completed

13-5 - nil class: claim
  volume volume13-5 1Gi Available
  -> volume13-5 1Gi Bound for=claim13-5/uid13-5 +bound-by-controller
  claim claim13-5/uid13-5 1Gi Pending
  -> claim13-5/uid13-5 1Gi Bound volume=volume13-5 +bound-by-controller +bind-completed

2-11 - claim prebound to unbound volume that volume attributes class is different: claim
  volume volume2-11 1Gi Available attributes=classGold
  claim claim2-11/uid2-11 1Gi Bound volume=volume2-11
  -> claim2-11/uid2-11 1Gi Pending volume=volume2-11
  Warning VolumeMismatch

2-12 - claim prebound to unbound volume that volume attributes class is same: claim
  volume volume2-12 1Gi Available attributes=classGold
  -> volume2-12 1Gi Bound for=claim2-12/uid2-12 attributes=classGold +bound-by-controller
  claim claim2-12/uid2-12 1Gi Pending volume=volume2-12 attributes=classGold
  -> claim2-12/uid2-12 1Gi Bound volume=volume2-12 attributes=classGold current=classGold +bind-completed

14-1 - binding to volumeMode block: claim
  volume volume14-1 10Gi Available Block
  -> volume14-1 10Gi Bound for=claim14-1/uid14-1 Block +bound-by-controller
  claim claim14-1/uid14-1 10Gi Pending Block
  -> claim14-1/uid14-1 10Gi Bound volume=volume14-1 Block +bound-by-controller +bind-completed

14-2 - binding to volumeMode filesystem: claim
  volume volume14-2 10Gi Available
  -> volume14-2 10Gi Bound for=claim14-2/uid14-2 +bound-by-controller
  claim claim14-2/uid14-2 10Gi Pending
  -> claim14-2/uid14-2 10Gi Bound volume=volume14-2 +bound-by-controller +bind-completed

14-3 - do not bind pv volumeMode filesystem and pvc volumeMode block: claim
  volume volume14-3 10Gi Available
  claim claim14-3/uid14-3 10Gi Pending Block
  Normal FailedBinding

14-4 - do not bind pv volumeMode block and pvc volumeMode filesystem: claim
  volume volume14-4 10Gi Available Block
  claim claim14-4/uid14-4 10Gi Pending
  Normal FailedBinding

14-5 - do not bind when matching class but not volumeMode: claim
  volume volume14-5 10Gi Available class=gold
  claim claim14-5/uid14-5 10Gi Pending class=gold Block
  Warning ProvisioningFailed

14-5-1 - do not bind when matching volumeModes but class does not match: claim
  volume volume14-5-1 10Gi Available class=gold
  claim claim14-5-1/uid14-5-1 10Gi Pending class=silver
  Warning ProvisioningFailed

14-5-2 - do not bind when pvc is prebound to pv with matching volumeModes but class does not match: claim
  volume volume14-5-2 10Gi Available class=gold
  claim claim14-5-2/uid14-5-2 10Gi Pending volume=volume14-5-2 class=silver
  Warning VolumeMismatch

14-7 - bind when pv volume is prebound and volumeModes match: claim
  volume volume14-7 10Gi Available for=claim14-7 Block
  -> volume14-7 10Gi Bound for=claim14-7/uid14-7 Block
  claim claim14-7/uid14-7 10Gi Pending Block
  -> claim14-7/uid14-7 10Gi Bound volume=volume14-7 Block +bound-by-controller +bind-completed

14-8 - do not bind when pvc is prebound to pv with mismatching volumeModes: claim
  volume volume14-8 10Gi Available Block
  claim claim14-8/uid14-8 10Gi Pending volume=volume14-8
  Warning VolumeMismatch

14-8-1 - do not bind when pvc is prebound to pv with mismatching volumeModes: claim
  volume volume14-8-1 10Gi Available for=claim14-8-1 Block
  claim claim14-8-1/uid14-8-1 10Gi Pending
  Normal FailedBinding

14-9 - bind when pvc is prebound to pv with matching volumeModes block: claim
  volume volume14-9 10Gi Available Block
  -> volume14-9 10Gi Bound for=claim14-9/uid14-9 Block +bound-by-controller
  claim claim14-9/uid14-9 10Gi Pending volume=volume14-9 Block
  -> claim14-9/uid14-9 10Gi Bound volume=volume14-9 Block +bind-completed

14-10 - bind when pv is prebound to pvc with matching volumeModes block: claim
  volume volume14-10 10Gi Available for=claim14-10 Block
  -> volume14-10 10Gi Bound for=claim14-10/uid14-10 Block
  claim claim14-10/uid14-10 10Gi Pending Block
  -> claim14-10/uid14-10 10Gi Bound volume=volume14-10 Block +bound-by-controller +bind-completed

14-11 - bind when pvc is prebound to pv with matching volumeModes filesystem: claim
  volume volume14-11 10Gi Available
  -> volume14-11 10Gi Bound for=claim14-11/uid14-11 +bound-by-controller
  claim claim14-11/uid14-11 10Gi Pending volume=volume14-11
  -> claim14-11/uid14-11 10Gi Bound volume=volume14-11 +bind-completed

14-12 - bind when pv is prebound to pvc with matching volumeModes filesystem: claim
  volume volume14-12 10Gi Available for=claim14-12
  -> volume14-12 10Gi Bound for=claim14-12/uid14-12
  claim claim14-12/uid14-12 10Gi Pending
  -> claim14-12/uid14-12 10Gi Bound volume=volume14-12 +bound-by-controller +bind-completed

14-13 - output warning when pv is prebound to pvc with different volumeModes: volume
  volume volume14-13 10Gi Available for=claim14-13/uid14-13 +bound-by-controller
  claim claim14-13/uid14-13 10Gi Pending Block
  Warning VolumeMismatch

14-13-1 - output warning when pv is prebound to pvc with different volumeModes: volume
  volume volume14-13-1 10Gi Available for=claim14-13-1/uid14-13-1 Block +bound-by-controller
  claim claim14-13-1/uid14-13-1 10Gi Pending
  Warning VolumeMismatch

14-14 - wait for synClaim without warning when pv is prebound to pvc with matching volumeModes block: volume
  volume volume14-14 10Gi Available for=claim14-14/uid14-14 Block +bound-by-controller
  claim claim14-14/uid14-14 10Gi Pending Block

14-14-1 - wait for synClaim without warning when pv is prebound to pvc with matching volumeModes file: volume
  volume volume14-14-1 10Gi Available for=claim14-14-1/uid14-14-1 +bound-by-controller
  claim claim14-14-1/uid14-14-1 10Gi Pending
`;
