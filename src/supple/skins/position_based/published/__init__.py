"""Position based skinning as it was published [AbuRumman2016], beside which the default can be measured.

`skin` has its settings, `algorithm` its step line by line (Alg. 5 and 8), `projection` the constraints, `soft_control`
what an artist marks (section 4.7). It shares the body and the search for contacts with `PositionBased`, and no setting.
"""
