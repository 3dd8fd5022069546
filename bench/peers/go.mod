module cdpsupervisor/bench/peers

go 1.26.8

require cdpsupervisor v0.0.0

replace cdpsupervisor => ../..
