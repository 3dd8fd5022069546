package replay_test
import ("testing";"context";"path/filepath";"encoding/json";"fmt"
"cdpsupervisor/simulations/replay")
func TestAll(t *testing.T){
 fs,_:=filepath.Glob("/work/shared/traces/*/*.zst")
 for _,f:=range fs {
  r,err:=replay.Run(context.Background(),replay.Options{Path:f,FullTree:true})
  if err!=nil {fmt.Println(filepath.Base(f),"ERR",err);continue}
  b,_:=json.Marshal(r.Snapshot.Supervisor)
  states:=map[string]int{}
  if r.Snapshot.FrameTree!=nil { for _,c:=range r.Snapshot.FrameTree.Children {states[string(c.State)]++} }
  fmt.Println(filepath.Base(f), "w",r.Withheld,"s",r.Silent,string(b),states, len(r.Snapshot.PendingDialogs))
  for _,d:=range r.Dialogs { if d.Ended!=nil { fmt.Print("  ",d.Ended.ID,d.Ended.ClosedBy,"/",d.Ended.Reason,d.Ended.Result) } else {fmt.Print("  ",d.Open.ID,"open",d.Open.State)} }
  if len(r.Dialogs)>0 {fmt.Println()}
 }
}
